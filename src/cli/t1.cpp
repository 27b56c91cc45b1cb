// SPDX-License-Identifier: Apache-2.0
#include "cli/t1.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/json_file.hpp"
#include "jitune/error.hpp"
#include "support/text_file.hpp"
#include "types/element_names.hpp"

namespace jitune::internal {

namespace {

using Texts = std::vector<std::string>;

struct TypeName {
    std::string_view t1, type;
};
constexpr std::array kTypes{
    TypeName{"bool", "uint8"},     TypeName{"half", "float16"}, TypeName{"float", "float32"},
    TypeName{"double", "float64"}, TypeName{"int", "int32"},    TypeName{"uint", "uint32"},
};

struct AccessName {
    std::string_view t1, access;
};
constexpr std::array kAccesses{
    AccessName{"ReadOnly", "in"},
    AccessName{"WriteOnly", "out"},
    AccessName{"ReadWrite", "inout"},
};

[[noreturn]] void refuse_values(std::string_view text) {
    throw Error(ErrorKind::usage,
                fmt::format("Values \"{}\": jitune takes one integer or more, as in [16, 32] "
                            "or list(range(32, 1025, 32))",
                            text));
}

/// Splits a text at each separator.
std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find(separator, at), text.size());
        parts.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return parts;
}

/// Integers separated by commas, each of them a sum: "32, 1024+1".
std::vector<std::int64_t> integers(std::string_view list) {
    std::vector<std::int64_t> result;
    for (const std::string_view item : split(list, ',')) {
        std::int64_t sum = 0;
        for (const std::string_view part : split(item, '+')) {
            std::int64_t number = 0;
            const auto [end, error] =
                std::from_chars(part.data(), part.data() + part.size(), number);
            if (error != std::errc() || end != part.data() + part.size()) {
                refuse_values(list);
            }
            if (__builtin_add_overflow(sum, number, &sum)) {
                refuse_values(list);
            }
        }
        result.push_back(sum);
    }
    return result;
}

/// The numbers of Python's range() with one to three arguments: at least one number.
std::vector<std::int64_t> range(const std::vector<std::int64_t>& bounds, std::string_view text) {
    constexpr std::size_t kMost = 100'000;
    const std::int64_t step = bounds.size() == 3 ? bounds[2] : 1;
    const std::int64_t end = bounds.size() == 1 ? bounds[0] : bounds[1];
    std::vector<std::int64_t> result;
    std::int64_t at = bounds.size() == 1 ? 0 : bounds[0];
    if (bounds.size() > 3 || step <= 0 || at >= end) {
        refuse_values(text);
    }
    do {
        if (result.size() == kMost) {
            refuse_values(text);
        }
        result.push_back(at);
    } while (!__builtin_add_overflow(at, step, &at) && at < end);
    return result;
}

std::vector<std::int64_t> values_of(std::string text) {
    std::erase_if(text, [](char c) { return c == ' '; });
    std::string_view inner = text;
    const auto strip = [&](std::string_view open, std::string_view close) {
        const bool both = inner.starts_with(open) && inner.ends_with(close);
        if (both) {
            inner = inner.substr(open.size(), inner.size() - open.size() - close.size());
        }
        return both;
    };
    strip("list(", ")");
    if (strip("range(", ")")) {
        return range(integers(inner), text);
    }
    strip("[", "]");
    return integers(inner);
}

std::string text_or_number(const ParsedJson& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
}

/// Writes the front matter section by section.
class Writer {
public:
    explicit Writer(const ParsedJson& document)
        : space_(member(document, "ConfigurationSpace")),
          kernel_(member(document, "KernelSpecification")) {}

    std::string front_matter() {
        const std::string language = text_member(kernel_, "Language");
        if (language != "CUDA") {
            throw Error(ErrorKind::usage,
                        fmt::format("Language is \"{}\": jitune takes CUDA", language));
        }
        add_parameters();
        add_arguments();
        const std::string name = text_member(kernel_, "KernelName");
        return fmt::format(
            "/* jitune template\nkernel = \"{}\"\nbackend = \"cuda\"\nsizes = [\"t1_problem\"]\n"
            "defines = [{}]\nconstraints = [{}]\n[parameters]\n{}[arguments]\n{}[[launch]]\n"
            "entry = \"{}\"\narguments = [{}]\n{}[reference]\ndefault = true\n*/\n",
            name, quoted(names_), quoted(conditions()), parameters_, arguments_, name,
            quoted(order_), launch());
    }

private:
    static std::string quoted(const Texts& texts) {
        return texts.empty() ? "" : fmt::format("\"{}\"", fmt::join(texts, "\", \""));
    }

    void add_parameters() {
        for (const ParsedJson& parameter : list_member(space_, "TuningParameters")) {
            const std::string name = text_member(parameter, "Name");
            const auto values = values_of(text_or_number(member(parameter, "Values")));
            const ParsedJson* const given = find_member(parameter, "Default");
            const std::string standard =
                given != nullptr ? text_or_number(*given) : std::to_string(values.front());
            names_.push_back(name);
            parameters_ += fmt::format("{} = {{ values = [{}], default = {} }}\n", name,
                                       fmt::join(values, ", "), standard);
        }
    }

    [[nodiscard]] Texts conditions() const {
        Texts texts;
        for (const char* key : {"Conditions", "Constraints"}) {
            if (find_member(space_, key) == nullptr) {
                continue;
            }
            for (const ParsedJson& condition : list_member(space_, key)) {
                texts.push_back(t1_expression(condition.is_string()
                                                  ? condition.get<std::string>()
                                                  : text_member(condition, "Expression")));
            }
        }
        return texts;
    }

    void add_arguments() {
        if (find_member(kernel_, "Arguments") == nullptr) {
            return;
        }
        for (const ParsedJson& argument : list_member(kernel_, "Arguments")) {
            const std::string name =
                text_member_or(argument, "Name", fmt::format("argument_{}", order_.size()));
            order_.push_back(name);
            add_argument(argument, name);
        }
    }

    void add_argument(const ParsedJson& argument, const std::string& name) {
        const std::string type = type_of(text_member(argument, "Type"), name);
        const std::string memory = text_member(argument, "MemoryType");
        const ParsedJson* const given = find_member(argument, "FillValue");
        const std::string fill_value = given != nullptr ? text_or_number(*given) : "0";
        if (memory == "Scalar") {
            arguments_ +=
                fmt::format("{} = {{ access = \"value\", type = \"{}\", value = \"{}\" }}\n", name,
                            type, fill_value);
            return;
        }
        const std::string access = text_member_or(argument, "AccessType", "ReadWrite");
        const auto* const row =
            std::find_if(kAccesses.begin(), kAccesses.end(),
                         [&](const AccessName& row_of) { return row_of.t1 == access; });
        if (memory != "Vector" || row == kAccesses.end()) {
            throw Error(ErrorKind::usage,
                        fmt::format("argument {}: {} memory with access {}: jitune takes Scalar, "
                                    "and Vector that is ReadOnly, WriteOnly or ReadWrite",
                                    name, memory, access));
        }
        arguments_ += fmt::format("{} = {{ access = \"{}\", type = \"{}\", count = \"{}\"", name,
                                  row->access, type, text_or_number(member(argument, "Size")));
        if (row->access != "out") {
            arguments_ += fmt::format(", fill = \"{}\"", fill_of(argument, name, fill_value));
        }
        arguments_ += " }\n";
    }

    static std::string fill_of(const ParsedJson& argument, const std::string& name,
                               const std::string& value) {
        const std::string fill = text_member_or(argument, "FillType", "Random");
        if (fill == "Random") {
            return "random";
        }
        if (fill == "Constant" && (value == "0" || value == "0.0")) {
            return "zeros";
        }
        if (fill == "Constant" && (value == "1" || value == "1.0")) {
            return "ones";
        }
        throw Error(ErrorKind::usage, fmt::format("argument {}: FillType {} with value {}: jitune "
                                                  "takes Random, and Constant 0 or 1",
                                                  name, fill, value));
    }

    static std::string type_of(const std::string& word, const std::string& name) {
        const auto* const row =
            std::find_if(kTypes.begin(), kTypes.end(),
                         [&](const TypeName& row_of) { return row_of.t1 == word; });
        const std::string type(row == kTypes.end() ? word : row->type);
        if (!type_bytes(type)) {
            throw Error(ErrorKind::usage,
                        fmt::format("argument {}: jitune has no type \"{}\"", name, word));
        }
        return type;
    }

    /// With a GlobalSizeType of OpenCL the global size counts threads.
    [[nodiscard]] std::string launch() const {
        const bool threads = text_member_or(kernel_, "GlobalSizeType", "CUDA") == "OpenCL";
        Texts grid, block;
        for (const char* axis : {"X", "Y", "Z"}) {
            const auto size = [&](const char* key) {
                const ParsedJson* const along = find_member(member(kernel_, key), axis);
                return along != nullptr ? t1_expression(text_or_number(*along)) : "1";
            };
            block.push_back(size("LocalSize"));
            grid.push_back(threads
                               ? fmt::format("ceil_div({}, {})", size("GlobalSize"), block.back())
                               : size("GlobalSize"));
        }
        const ParsedJson* const shared = find_member(kernel_, "SharedMemory");
        return fmt::format("grid = [{}]\nblock = [{}]\nshared_bytes = \"{}\"\n", quoted(grid),
                           quoted(block),
                           shared != nullptr ? t1_expression(text_or_number(*shared)) : "0");
    }

    const ParsedJson& space_;
    const ParsedJson& kernel_;
    Texts names_, order_;
    std::string parameters_, arguments_;
};

}  // namespace

std::string t1_expression(const std::string& text) {
    constexpr std::array kWords{
        std::pair{std::string_view("&&"), std::string_view(" AND ")},
        std::pair{std::string_view("||"), std::string_view(" OR ")},
        std::pair{std::string_view("//"), std::string_view(" / ")},
        std::pair{std::string_view("!="), std::string_view(" <> ")},
        std::pair{std::string_view("!"), std::string_view(" NOT ")},
    };
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        const auto* const row = std::find_if(kWords.begin(), kWords.end(), [&](const auto& word) {
            return std::string_view(text).substr(at).starts_with(word.first);
        });
        result += row == kWords.end() ? std::string_view(text).substr(at, 1) : row->second;
        at += row == kWords.end() ? 1 : row->first.size();
    }
    return result;
}

T1Template t1_template(const ParsedJson& document, const std::filesystem::path& file) {
    try {
        const std::filesystem::path kernel =
            text_member(member(document, "KernelSpecification"), "KernelFile");
        const std::filesystem::path path =
            kernel.is_absolute() ? kernel : "." / file.parent_path() / kernel;
        return {file.string(), Writer(document).front_matter() + read_text_file(path),
                path.parent_path()};
    } catch (const Error& error) {
        throw Error(error.kind(),
                    fmt::format("{}: T1 tuning problem: {}", file.string(), error.what()),
                    error.native_code());
    }
}

T1Template read_t1(const std::filesystem::path& file) {
    return t1_template(read_json(file), file);
}

}  // namespace jitune::internal
