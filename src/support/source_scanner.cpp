// SPDX-License-Identifier: Apache-2.0
#include "support/source_scanner.hpp"

#include <fmt/format.h>

#include <cctype>

namespace jitune::internal {
namespace {

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool is_blank(char c) {
    return c != '\n' && std::isspace(static_cast<unsigned char>(c)) != 0;
}

/// Joins lines that end in a backslash, which is the first step of a compiler.
std::string spliced(std::string_view text) {
    std::string result;
    std::size_t begin = 0;  // of what is not in the result
    for (auto at = text.find('\\'); at != text.npos; at = text.find('\\', at + 1)) {
        std::size_t end = at + 1;
        while (end < text.size() && is_blank(text[end])) {
            ++end;
        }
        if (end < text.size() && text[end] == '\n') {
            result += text.substr(begin, at - begin);
            begin = end + 1;
        }
    }
    result += text.substr(begin);
    return result;
}

/// Finds the preprocessor directives of C++ text, without comments. Literals are kept, because the
/// name of a header is one.
class Scanner {
public:
    explicit Scanner(std::string text) : text_(std::move(text)) {}

    std::vector<std::string> directives() {
        while (at_ < text_.size()) {
            step();
        }
        finish_line();
        return std::move(directives_);
    }

private:
    void step() {
        const char c = text_[at_];
        const char next = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
        if (c == '\n') {
            finish_line();
            ++at_;
        } else if (c == '/' && next == '/') {
            at_ = std::min(text_.find('\n', at_), text_.size());
        } else if (c == '/' && next == '*') {
            const std::size_t end = text_.find("*/", at_ + 2);
            at_ = end == std::string::npos ? text_.size() : end + 2;
            line_ += ' ';
        } else if (c == '"' && is_raw()) {
            skip_raw();
        } else if (c == '"' || (c == '\'' && !is_digit_separator())) {
            keep_literal();
        } else {
            keep_plain();
        }
    }

    /// All that stands before the next character that may begin something else.
    void keep_plain() {
        const std::size_t begin = at_++;
        while (at_ < text_.size() && text_[at_] != '\n' && text_[at_] != '/' && text_[at_] != '"' &&
               text_[at_] != '\'') {
            ++at_;
        }
        line_.append(text_, begin, at_ - begin);
    }

    void finish_line() {
        const std::size_t first = line_.find_first_not_of(" \t\r\v\f");
        if (first != std::string::npos) {
            std::string rest = line_.substr(first);
            if (rest.front() == '#' || rest.starts_with("%:")) {
                directives_.push_back(rest.substr(rest.front() == '#' ? 1 : 2));
            }
        }
        line_.clear();
    }

    /// The word that ends at the current position.
    [[nodiscard]] std::string_view word_before() const {
        std::size_t first = line_.size();
        while (first > 0 && is_word(line_[first - 1])) {
            --first;
        }
        return std::string_view(line_).substr(first);
    }

    [[nodiscard]] bool is_raw() const {
        const std::string_view word = word_before();
        return word == "R" || word == "LR" || word == "uR" || word == "UR" || word == "u8R";
    }

    [[nodiscard]] bool is_digit_separator() const {
        const std::string_view word = word_before();
        return !word.empty() && std::isdigit(static_cast<unsigned char>(word.front())) != 0;
    }

    void skip_raw() {
        const std::size_t open = text_.find('(', at_);
        const std::size_t size = open == std::string::npos ? 0 : open - at_ - 1;
        const std::string close = fmt::format("){}\"", text_.substr(at_ + 1, size));
        const std::size_t end = open == std::string::npos ? open : text_.find(close, open + 1);
        at_ = end == std::string::npos ? text_.size() : end + close.size();
        line_ += ' ';
    }

    /// A literal ends on its line, even without a closing quote.
    void keep_literal() {
        const char quote = text_[at_];
        line_ += text_[at_++];
        while (at_ < text_.size() && text_[at_] != '\n') {
            const char c = text_[at_];
            line_ += text_[at_++];
            if (c == quote) {
                return;
            }
            if (c == '\\' && at_ < text_.size() && text_[at_] != '\n') {
                line_ += text_[at_++];
            }
        }
    }

    std::string text_;
    std::size_t at_ = 0;
    std::string line_;
    std::vector<std::string> directives_;
};

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) {
        text.remove_prefix(1);
    }
    while (!text.empty() && is_blank(text.back())) {
        text.remove_suffix(1);
    }
    return text;
}

/// The name of `"name"` or `<name>`; else the text itself.
std::string literal_name(std::string_view text) {
    const bool quoted = text.size() > 2 && text.front() == '"' && text.back() == '"';
    const bool angled = text.size() > 2 && text.front() == '<' && text.back() == '>';
    return std::string(quoted || angled ? text.substr(1, text.size() - 2) : text);
}

}  // namespace

std::vector<std::string> included_names(std::string_view text) {
    std::vector<std::string> names;
    for (const std::string& line : Scanner(spliced(text)).directives()) {
        const std::string_view directive = trimmed(line);
        std::size_t end = 0;
        while (end < directive.size() && is_word(directive[end])) {
            ++end;
        }
        const std::string_view word = directive.substr(0, end);
        if (word == "include") {
            names.push_back(literal_name(trimmed(directive.substr(end))));
        } else if (word.starts_with("include_") || word == "import" || word == "embed") {
            names.emplace_back(directive);
        }
    }
    return names;
}

}  // namespace jitune::internal
