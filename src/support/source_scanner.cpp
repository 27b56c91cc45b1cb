// SPDX-License-Identifier: Apache-2.0
#include "support/source_scanner.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace jitune::internal {
namespace {

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool is_digit(char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

bool is_blank(char c) {
    return c != '\n' && std::isspace(static_cast<unsigned char>(c)) != 0;
}

std::string_view without_blanks(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) {
        text.remove_prefix(1);
    }
    return text;
}

std::string_view leading_word(std::string_view text) {
    return {text.begin(), std::ranges::find_if_not(text, is_word)};
}

/// What stands behind the # of a directive; nothing if the line is none.
std::optional<std::string_view> directive_of(std::string_view line) {
    line = without_blanks(line);
    for (const std::string_view mark : {"#", "%:", "?\?="}) {
        if (line.starts_with(mark)) {
            return without_blanks(line.substr(mark.size()));
        }
    }
    return std::nullopt;
}

/// True for the words of directives that the name of a header follows.
bool names_header(std::string_view word) {
    return word == "include" || word == "include_next" || word == "import";
}

/// True if nothing stands between such a word and the end.
bool takes_header(std::string_view directive) {
    const std::string_view word = leading_word(directive);
    return names_header(word) && without_blanks(directive.substr(word.size())).empty();
}

/// What a sign may follow within a number.
bool is_exponent(char c) {
    return c == 'e' || c == 'E' || c == 'p' || c == 'P';
}

bool is_raw_prefix(std::string_view tokens) {
    constexpr std::array<std::string_view, 5> kPrefixes{"R", "LR", "uR", "UR", "u8R"};
    const auto first = std::find_if_not(tokens.rbegin(), tokens.rend(), is_word).base();
    return std::ranges::find(kPrefixes, std::string_view(first, tokens.end())) != kPrefixes.end();
}

/// Text in which no line ends in a backslash: joining such lines is the first step of a compiler. A
/// lone CR ends a line, as for some compilers.
class JoinedText {
public:
    explicit JoinedText(std::string_view text) : written_(text) {
        std::size_t begin = 0;  // of what is not in the result
        for (auto at = text.find('\\'); at != text.npos; at = text.find('\\', at + 1)) {
            std::size_t end = at + 1;
            while (end < text.size() && is_blank(text[end])) {
                ++end;
            }
            if (end < text.size() && text[end] == '\n') {
                joined_ += text.substr(begin, at - begin);
                begin = end + 1;
                joints_.push_back({joined_.size(), begin});
            }
        }
        joined_ += text.substr(begin);
        std::ranges::replace(joined_, '\r', '\n');
    }

    [[nodiscard]] std::string_view joined() const { return joined_; }

    /// The end of the raw string whose first quote stands at `at` of the joined text: within it,
    /// nothing is joined. Nothing if that is no raw string.
    [[nodiscard]] std::optional<std::size_t> end_of_raw(std::size_t at) const {
        constexpr std::size_t kLongestMark = 16;
        auto joint = std::ranges::upper_bound(joints_, at, {}, &Joint::joined);
        const Joint before = joint == joints_.begin() ? Joint{} : *std::prev(joint);
        const std::size_t quote = before.written + (at - before.joined);
        const std::size_t open = written_.substr(0, quote + kLongestMark + 2).find('(', quote);
        if (open == written_.npos) {
            return std::nullopt;
        }
        const std::string close =
            fmt::format("){}\"", written_.substr(quote + 1, open - quote - 1));
        if (close.find_first_of(" \\\t\v\f\r\n") != close.npos) {
            return std::nullopt;
        }
        const std::size_t found = written_.find(close, open + 1);
        if (found == written_.npos) {
            return joined_.size();
        }
        const std::size_t end = found + close.size();
        joint = std::ranges::upper_bound(joints_, end, {}, &Joint::written);
        const Joint last = joint == joints_.begin() ? Joint{} : *std::prev(joint);
        return last.joined + (end - last.written);
    }

private:
    /// Two places of the same character.
    struct Joint {
        std::size_t joined = 0;
        std::size_t written = 0;
    };
    std::string_view written_;
    std::string joined_;
    std::vector<Joint> joints_;
};

/// True if the last of the tokens is a number: of "0xA.F" and "b-0xF", not of "e+x4".
bool ends_in_number(std::string_view tokens) {
    bool is_number = false;
    for (std::size_t i = 0; i < tokens.size();) {
        const std::size_t digit = i + (tokens[i] == '.' ? 1 : 0);
        is_number = digit < tokens.size() && is_digit(tokens[digit]);
        const bool is_long = is_number || is_word(tokens[i]);
        ++i;
        while (is_long && i < tokens.size() &&
               (is_word(tokens[i]) ||
                (is_number && (tokens[i] == '.' || is_exponent(tokens[i - 1]))))) {
            ++i;
        }
    }
    return is_number;
}

/// Finds the preprocessor directives of C++ text, without comments. Literals are kept, because the
/// name of a header is one.
class Scanner {
public:
    explicit Scanner(const JoinedText& source) : source_(source), text_(source.joined()) {}

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
        } else if ((c == '<' || c == '"') && begins_header_name()) {
            keep_header_name(c == '<' ? '>' : '"');
        } else if (c == '"') {
            keep_string();
        } else if (c == '\'' && !is_digit_separator(next)) {
            keep_literal();
        } else {
            keep_plain();
        }
    }

    /// All that stands before the next character that may begin something else.
    void keep_plain() {
        const std::size_t begin = at_++;
        while (at_ < text_.size() && text_[at_] != '\n' && text_[at_] != '/' && text_[at_] != '"' &&
               text_[at_] != '\'' && text_[at_] != '<') {
            ++at_;
        }
        line_.append(text_, begin, at_ - begin);
    }

    void finish_line() {
        if (const auto directive = directive_of(line_)) {
            directives_.emplace_back(*directive);
        }
        line_.clear();
        may_name_header_ = true;
        behind_separator_ = 0;
    }

    /// Only the first < or " of a line may begin the name of a header.
    bool begins_header_name() {
        const bool is_first = std::exchange(may_name_header_, false);
        const auto directive = is_first ? directive_of(line_) : std::nullopt;
        return directive && takes_header(*directive);
    }

    /// Such a name has no escapes and no comments.
    void keep_header_name(char close) {
        const std::size_t end = text_.find_first_of(std::string{close, '\n'}, at_ + 1);
        const std::size_t next =
            end == text_.npos ? text_.size() : end + (text_[end] == close ? 1 : 0);
        line_.append(text_, at_, next - at_);
        at_ = next;
    }

    /// The numbers and words, without quotes and blanks, that end at the current position.
    [[nodiscard]] std::string_view tokens_before() const {
        const auto belongs = [&](std::size_t i) {
            const bool is_sign = line_[i] == '+' || line_[i] == '-';
            return is_word(line_[i]) || line_[i] == '.' ||
                   (is_sign && i > 0 && is_exponent(line_[i - 1]));
        };
        std::size_t first = line_.size();
        while (first > 0 && belongs(first - 1)) {
            --first;
        }
        return std::string_view(line_).substr(first);
    }

    bool is_digit_separator(char next) {
        const std::string_view tokens = tokens_before();
        const std::size_t first = line_.size() - tokens.size();
        const bool goes_on = first > 0 && first == behind_separator_;
        const bool separates =
            is_word(next) && !tokens.empty() && (goes_on || ends_in_number(tokens));
        behind_separator_ = separates ? line_.size() + 1 : 0;
        return separates;
    }

    void keep_string() {
        const std::string_view tokens = tokens_before();
        const auto end = is_raw_prefix(tokens) ? source_.end_of_raw(at_) : std::nullopt;
        if (end) {
            at_ = *end;
            line_ += ' ';
        } else {
            keep_literal();
        }
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

    const JoinedText& source_;
    std::string_view text_;
    std::size_t at_ = 0;
    std::string line_;
    bool may_name_header_ = true;
    std::size_t behind_separator_ = 0;  ///< in line_: behind a ' within a number; else 0
    std::vector<std::string> directives_;
};

std::string_view trimmed(std::string_view text) {
    text = without_blanks(text);
    while (!text.empty() && is_blank(text.back())) {
        text.remove_suffix(1);
    }
    return text;
}

/// The name in `"name"` or `<name>`, whatever follows; empty if the text is no such name.
std::string literal_name(std::string_view text) {
    if (!text.starts_with('"') && !text.starts_with('<')) {
        return {};
    }
    const std::size_t end = text.find(text.front() == '<' ? '>' : '"', 1);
    return std::string(end == text.npos ? "" : text.substr(1, end - 1));
}

}  // namespace

std::vector<std::string> directives_in(std::string_view text) {
    const JoinedText joined(text);
    std::vector<std::string> lines;
    for (const std::string& directive : Scanner(joined).directives()) {
        lines.push_back(fmt::format("#{}", trimmed(directive)));
    }
    return lines;
}

std::vector<IncludeDirective> include_directives(std::string_view text) {
    std::vector<IncludeDirective> result;
    for (std::string& line : directives_in(text)) {
        const std::string_view directive = std::string_view(line).substr(1);
        const std::string_view word = leading_word(directive);
        if (names_header(word) || word.starts_with("include_") || word == "embed") {
            const std::string_view rest = without_blanks(directive.substr(word.size()));
            std::string name = names_header(word) ? literal_name(rest) : std::string();
            result.push_back({std::move(line), std::move(name)});
        }
    }
    return result;
}

std::vector<std::string> included_names(std::string_view text) {
    std::vector<std::string> names;
    for (IncludeDirective& directive : include_directives(text)) {
        if (!directive.name.empty()) {
            names.push_back(std::move(directive.name));
        }
    }
    return names;
}

}  // namespace jitune::internal
