// SPDX-License-Identifier: Apache-2.0
#include "template/toml_reader.hpp"

#include <algorithm>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "jitune/error.hpp"
#include "support/utf8.hpp"

namespace jitune::internal {
namespace {

constexpr std::string_view kBeforeText = " \t\r\n=,.[{";
constexpr int kMostDots = 256;  // of a key, which stands on one line

bool begins_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '"' || c == '\'';
}

bool is_of_word(char c) {
    return std::string_view("=,.[]{}\"'\r\n").find(c) == std::string_view::npos;
}

/// Walks over a document and tells what stands outside quotes and comments.
class Walk {
public:
    Walk(std::string_view file, std::string_view text, int line)
        : file_(file), text_(text), line_(line) {}

    void run() {
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '"' || c == '\'') {
                check_value_word(c);
                if (at_ > 0 && kBeforeText.find(text_[at_ - 1]) == std::string_view::npos) {
                    fail("a quote stands right behind a word or another quote");
                }
                skip_text(c);
                begins_line_ = false;
                last_ = c;
            } else if (c == '#') {
                at_ = std::min(text_.find('\n', at_), text_.size());
            } else {
                take(c);
            }
        }
    }

private:
    void take(char c) {
        check_value_word(c);
        if (static_cast<unsigned char>(c) >= 0x80) {
            fail("a character that is not ASCII stands outside quotes: put it into quotes");
        }
        if (c == '.' && ++dots_ > kMostDots) {
            fail(fmt::format("the line has more than {} dots outside quotes: split it", kMostDots));
        }
        if (c == '[' && begins_line_ && open_.empty()) {
            check_table_name();
        }
        if (c == '[' || c == '{') {
            open_ += c;
        }
        if (c == ']' || c == '}') {
            if (open_.empty() || open_.back() != (c == ']' ? '[' : '{')) {
                fail(fmt::format("the {} closes nothing", c));
            }
            open_.pop_back();
        }
        const bool is_blank = c == ' ' || c == '\t';
        if (!is_blank) {
            if (is_of_word(c) && is_of_word(last_) &&
                (text_[at_ - 1] == ' ' || text_[at_ - 1] == '\t')) {
                fail("two words stand side by side: put a , or a line break between them");
            }
            last_ = c;
        }
        begins_line_ = c == '\n' || (begins_line_ && is_blank);
        if (c == '\n') {
            ++line_;
            dots_ = 0;
        }
        ++at_;
    }

    /// toml++ looks at a number or a word up to the blank, comma or closing bracket behind it.
    void check_value_word(char c) {
        if (in_value_word_ && std::string_view("\"'=[{").find(c) != std::string_view::npos) {
            fail(fmt::format("the {} stands right behind a value", c));
        }
        const bool begins = last_ == '=' || (!open_.empty() && open_.back() == '[');
        in_value_word_ =
            (in_value_word_ || begins) && c != ' ' && c != '\t' && (is_of_word(c) || c == '.');
    }

    /// At the "[" of "[name]" or "[[name]]".
    void check_table_name() const {
        const std::size_t brackets = text_.substr(at_, 2) == "[[" ? 2 : 1;
        const std::size_t name = text_.find_first_not_of(" \t", at_ + brackets);
        if (name != std::string_view::npos && text_[name] != ']' && !begins_name(text_[name])) {
            fail("the name of a table must begin with a letter, a digit, _, - or a quote");
        }
    }

    /// Over a text in quotes, to its end or, on one line, to the end of the line.
    void skip_text(char quote) {
        const bool is_long = peek(1) == quote && peek(2) == quote;
        const std::size_t quotes = is_long ? 3 : 1;
        at_ += quotes;
        for (std::size_t found = 0; at_ < text_.size() && found < quotes; ++at_) {
            const char c = text_[at_];
            if (c == '\n') {
                if (!is_long) {
                    return;
                }
                ++line_;
            }
            found = c == quote ? found + 1 : 0;
            if (c == '\\' && quote == '"') {
                check_escape();
                at_ += peek(1) != '\n' ? 1 : 0;
            }
        }
        for (int more = 0; is_long && more < 2 && peek(0) == quote; ++more) {
            ++at_;  // a long text may end with two quotes of its own
        }
    }

    /// At a backslash in a text: at the end of a line, it takes the blanks and line breaks behind
    /// it, and toml++ asks of the next character whether it is a blank, too.
    void check_escape() const {
        const std::size_t next = text_.find_first_not_of(" \t\r\n", at_ + 1);
        if (next != std::string_view::npos && static_cast<unsigned char>(text_[next]) >= 0x80) {
            fail("a character that is not ASCII follows a \\ in a text: join the lines");
        }
    }

    /// The character so far ahead, or 0 behind the end.
    [[nodiscard]] char peek(std::size_t ahead) const {
        return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
    }

    [[noreturn]] void fail(std::string_view message) const {
        throw Error(ErrorKind::usage, fmt::format("{}:{}: {}", file_, line_, message));
    }

    std::string_view file_, text_;
    int line_;
    std::size_t at_ = 0;
    std::string open_;  ///< brackets and braces
    int dots_ = 0;      ///< of the line
    bool begins_line_ = true;
    bool in_value_word_ = false;
    char last_ = '\n';  ///< the last character outside quotes and comments that is not blank
};

std::string place_of(const toml::source_region& source) {
    return fmt::format("{}:{}", source.path ? *source.path : "", std::max(source.begin.line, 1U));
}

[[noreturn]] void fail_at(const toml::source_region& source, std::string_view message) {
    throw Error(ErrorKind::usage, fmt::format("{}: {}", place_of(source), message));
}

}  // namespace

void check_toml(std::string_view file, std::string_view text, int first_line) {
    const std::size_t valid = valid_utf8_bytes(text);
    if (valid < text.size()) {
        const auto lines =
            std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(valid), '\n');
        throw Error(ErrorKind::usage,
                    fmt::format("{}:{}: the byte 0x{:02x} is not UTF-8: save the file as UTF-8",
                                file, first_line + lines, static_cast<unsigned char>(text[valid])));
    }
    Walk(file, text, first_line).run();
}

TomlReader::TomlReader(std::string_view file, std::string_view text, int first_line) {
    check_toml(file, text, first_line);
    // Empty lines in place of what stands before the text, so that nodes know their line.
    const std::string lines(static_cast<std::size_t>(first_line - 1), '\n');
    // From a stream: toml++'s reader of a text may not throw if there is no memory for its path.
    std::istringstream stream(lines + std::string(text));
    try {
        root_ = toml::parse(stream, file);
    } catch (const toml::parse_error& error) {
        fail_at(error.source(), error.description());
    }
}

int TomlReader::line(const toml::node& node) const {
    return static_cast<int>(node.source().begin.line);
}

std::string TomlReader::place(const toml::node& node) const {
    return place_of(node.source());
}

void TomlReader::refuse_other_keys(const toml::table& table, std::string_view where,
                                   std::initializer_list<std::string_view> known) const {
    for (const auto& [key, node] : table) {
        if (std::find(known.begin(), known.end(), key.str()) == known.end()) {
            fail(node, fmt::format("{} has an unknown key \"{}\"; its keys are {}", where,
                                   key.str(), fmt::join(known, ", ")));
        }
    }
}

std::string TomlReader::text(const toml::table& table, std::string_view key,
                             std::string_view where) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) {
        fail(table, fmt::format("{} needs {} = \"…\"", where, key));
    }
    const auto* value = node->as_string();
    if (value == nullptr || value->get().empty()) {
        fail(*node, fmt::format("{} of {} must be a text in quotes", key, where));
    }
    return value->get();
}

std::string TomlReader::text_or(const toml::table& table, std::string_view key,
                                std::string_view where, std::string_view otherwise) const {
    return table.contains(key) ? text(table, key, where) : std::string(otherwise);
}

std::vector<std::string> TomlReader::texts(const toml::table& table, std::string_view key,
                                           std::string_view where) const {
    std::vector<std::string> result;
    const toml::node* node = table.get(key);
    if (node == nullptr) {
        return result;
    }
    const toml::array* array = node->as_array();
    if (array == nullptr) {
        fail(*node, fmt::format("{} of {} must be a list of texts", key, where));
    }
    for (const toml::node& element : *array) {
        const auto* value = element.as_string();
        if (value == nullptr) {
            fail(element, fmt::format("{} of {} must be a list of texts", key, where));
        }
        result.push_back(value->get());
    }
    return result;
}

const toml::table& TomlReader::table(const toml::node& node, std::string_view where) const {
    const toml::table* result = node.as_table();
    if (result == nullptr) {
        fail(node, fmt::format("{} must be a table", where));
    }
    return *result;
}

std::vector<TomlReader::Entry> TomlReader::in_order(const toml::table& table) const {
    struct Placed {
        toml::source_position position;
        Entry entry;
    };
    std::vector<Placed> placed;
    for (const auto& [key, node] : table) {
        placed.push_back({key.source().begin, {std::string(key.str()), &node}});
    }
    std::sort(placed.begin(), placed.end(),
              [](const Placed& a, const Placed& b) { return a.position < b.position; });
    std::vector<Entry> result;
    for (Placed& one : placed) {
        result.push_back(std::move(one.entry));
    }
    return result;
}

void TomlReader::fail(const toml::node& at, const std::string& message) const {
    fail_at(at.source(), message);
}

TomlComment first_comment(const std::string& name, std::string_view text) {
    constexpr std::string_view kOpening = "/* jitune template";
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos || !text.substr(begin).starts_with(kOpening)) {
        throw Error(ErrorKind::usage,
                    fmt::format("{}:1: a kernel template begins with \"{}\" and its front matter",
                                name, kOpening));
    }
    const std::size_t end = text.find("*/", begin);
    if (end == std::string_view::npos) {
        throw Error(ErrorKind::usage,
                    fmt::format("{}: the front matter's comment does not end", name));
    }
    const std::size_t start = begin + kOpening.size();
    const auto lines =
        std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(start), '\n');
    return {text.substr(start, end - start), static_cast<int>(lines) + 1};
}

}  // namespace jitune::internal
