// SPDX-License-Identifier: Apache-2.0
#include "cli/formats/json_file.hpp"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <memory>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <zlib.h>

#include "jitune/error.hpp"
#include "text/units.hpp"

namespace jitune::internal {

namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 28;  // a small gzip may hold any amount
constexpr std::size_t kExcerpt = 24;

[[noreturn]] void refuse_file(const std::string& message) {
    throw Error(ErrorKind::usage, message);
}

}  // namespace

std::string read_json_text(const std::filesystem::path& path) {
    struct Closer {
        void operator()(gzFile_s* file) const noexcept { gzclose(file); }
    };
    const std::unique_ptr<gzFile_s, Closer> file(gzopen(path.c_str(), "rb"));
    if (file == nullptr) {
        refuse_file(fmt::format("cannot open \"{}\": {}", path.string(),
                                std::generic_category().message(errno)));
    }
    std::string text;
    std::string block(1 << 20, '\0');
    int count = 0;
    while ((count = gzread(file.get(), block.data(), static_cast<unsigned>(block.size()))) > 0) {
        text.append(block, 0, static_cast<std::size_t>(count));
        if (text.size() > kMostBytes) {
            refuse_file(fmt::format("{}: more than 256 MiB of text", path.string()));
        }
    }
    int code = 0;
    const char* reason = gzerror(file.get(), &code);
    if (count < 0 || code != Z_OK) {
        refuse_file(fmt::format("cannot read {}: {}", path.string(), reason));
    }
    return text;
}

namespace {

/// Counts what a document holds while it is parsed, and throws for one that exceeds a limit.
class LimitedParse {
public:
    LimitedParse(const std::string& name, const JsonLimits& limits)
        : name_(name), limits_(limits) {}

    /// A parser_callback_t.
    bool operator()(int levels, Json::parse_event_t event, Json& /*parsed*/) {
        using Event = Json::parse_event_t;
        if (event == Event::object_end) {
            members_.pop_back();
        } else if (event == Event::key) {
            check(++members_.back() <= limits_.members, "an object has more than {} members",
                  limits_.members);
        } else if (event != Event::array_end) {
            check(++values_ <= limits_.values, "more than {} values", limits_.values);
            check(event == Event::value || levels < limits_.levels,
                  "nested more than {} levels deep", limits_.levels);
        }
        if (event == Event::object_start) {
            members_.push_back(0);
        }
        return true;
    }

private:
    template <class Limit>
    void check(bool holds, fmt::format_string<const Limit&> complaint, const Limit& limit) const {
        if (!holds) {
            refuse_file(fmt::format("{}: {}", name_, fmt::format(complaint, limit)));
        }
    }

    const std::string& name_;
    const JsonLimits& limits_;
    std::size_t values_ = 0;
    std::vector<std::size_t> members_;  ///< of each object around the place
};

/// "file.json:3:14: invalid JSON from here on: "NaN, 1]"".
std::string complaint(const std::string& name, const std::string& text, std::size_t byte) {
    const std::size_t at = std::min(byte > 0 ? byte - 1 : 0, text.size());
    const auto begin = text.begin();
    const auto end = begin + static_cast<std::ptrdiff_t>(at);
    const auto line = std::count(begin, end, '\n') + 1;
    const std::size_t newline = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
    const std::size_t column = newline == std::string::npos ? at + 1 : at - newline;
    const std::string rest = one_line(text.substr(at, kExcerpt));
    return fmt::format("{}:{}:{}: {}", name, line, column,
                       rest.empty() ? "the JSON document is incomplete"
                                    : fmt::format("invalid JSON from here on: \"{}\"", rest));
}

[[noreturn]] void refuse(const char* key, const char* kind) {
    refuse_file(fmt::format("\"{}\" must be {}", key, kind));
}

}  // namespace

Json parse_json(const std::string& text, const std::string& name, const JsonLimits& limits) {
    try {
        return Json::parse(text, LimitedParse(name, limits));
    } catch (const Json::parse_error& error) {
        refuse_file(complaint(name, text, error.byte));
    } catch (const Json::exception&) {
        refuse_file(fmt::format("{}: a number is too large", name));
    }
}

Json read_json(const std::filesystem::path& path) {
    return parse_json(read_json_text(path), path.string());
}

const Json* find_member(const Json& object, const char* key) {
    const auto found = object.is_object() ? object.find(key) : object.end();
    return found == object.end() ? nullptr : &*found;
}

const Json& member(const Json& object, const char* key) {
    const Json* const found = find_member(object, key);
    if (found == nullptr) {
        refuse_file(fmt::format("\"{}\" is missing", key));
    }
    return *found;
}

std::string text_member(const Json& object, const char* key) {
    const Json& value = member(object, key);
    if (!value.is_string()) {
        refuse(key, "a text");
    }
    return value.get<std::string>();
}

std::string text_member_or(const Json& object, const char* key, const std::string& otherwise) {
    return find_member(object, key) == nullptr ? otherwise : text_member(object, key);
}

std::int64_t integer_member(const Json& object, const char* key) {
    const Json& value = member(object, key);
    constexpr auto kLargest = std::uint64_t{std::numeric_limits<std::int64_t>::max()};
    if (!value.is_number_integer() ||
        (value.is_number_unsigned() && value.get<std::uint64_t>() > kLargest)) {
        refuse(key, "an integer of at most 63 bits");
    }
    return value.get<std::int64_t>();
}

const Json& list_member(const Json& object, const char* key) {
    const Json& value = member(object, key);
    if (!value.is_array()) {
        refuse(key, "a list");
    }
    return value;
}

}  // namespace jitune::internal
