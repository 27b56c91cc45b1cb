// SPDX-License-Identifier: Apache-2.0
#include "template/fill.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "template/option_reader.hpp"

namespace jitune::internal {

namespace {

using ReadExpression = std::function<Expression(const std::string&)>;

bool read_number(std::string_view text, double& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
}

/// What follows a word and a space; nothing if the text does not begin so.
std::optional<std::string> after(std::string_view text, std::string_view word) {
    const bool begins =
        text.size() > word.size() + 1 && text.starts_with(word) && text[word.size()] == ' ';
    return begins ? std::optional(std::string(text.substr(word.size() + 1))) : std::nullopt;
}

std::optional<double> number_of(const Expression& expression) {
    const auto value = expression.constant_value();
    const auto* integer = value ? std::get_if<std::int64_t>(&*value) : nullptr;
    const auto* real = value ? std::get_if<double>(&*value) : nullptr;
    return integer != nullptr ? std::optional(static_cast<double>(*integer))
           : real != nullptr  ? std::optional(*real)
                              : std::nullopt;
}

/// "<low><separator><high>". Nothing if one of the two is missing, or both are numbers in the
/// wrong order.
std::optional<Fill> with_bounds(Fill::Kind kind, const std::string& text,
                                std::string_view separator, const ReadExpression& expression) {
    const auto at = text.find(separator);
    if (at == std::string::npos || at == 0 || at + separator.size() == text.size()) {
        return std::nullopt;
    }
    Fill fill{kind, true, expression(text.substr(0, at)),
              expression(text.substr(at + separator.size()))};
    const auto low = number_of(fill.low);
    const auto high = number_of(fill.high);
    const bool is_wrong = low && high && (kind == Fill::Kind::normal ? *high < 0 : *low > *high);
    return is_wrong ? std::nullopt : std::optional(std::move(fill));
}

/// One word that says all.
std::optional<Fill::Kind> kind_of_word(std::string_view text) {
    constexpr std::array kWords{std::pair{std::string_view("random"), Fill::Kind::random},
                                std::pair{std::string_view("sorted"), Fill::Kind::sorted},
                                std::pair{std::string_view("normal"), Fill::Kind::normal},
                                std::pair{std::string_view("permutation"), Fill::Kind::permutation},
                                std::pair{std::string_view("zeros"), Fill::Kind::zeros},
                                std::pair{std::string_view("ones"), Fill::Kind::ones},
                                std::pair{std::string_view("iota"), Fill::Kind::iota}};
    for (const auto& [word, kind] : kWords) {
        if (text == word) {
            return kind;
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<Fill> Fill::parse(std::string_view text, const ReadExpression& expression) {
    Fill fill;
    if (const auto kind = kind_of_word(text)) {
        fill.kind = *kind;
        return fill;
    }
    if (const auto name = after(text, "raw")) {
        fill.kind = Kind::raw;
        fill.file = *name;
        return fill;
    }
    if (text.size() > 4 && text.ends_with(".npy")) {
        fill.kind = Kind::file;
        fill.file = text;
        return fill;
    }
    if (const auto number = after(text, "constant"); number && read_number(*number, fill.value)) {
        fill.kind = Kind::constant;
        return fill;
    }
    if (const auto last = after(text, "offsets")) {
        return Fill{Kind::offsets, true, Expression::constant(std::int64_t{0}), expression(*last)};
    }
    for (const auto& [word, kind] :
         {std::pair{"random", Kind::random}, {"whole", Kind::whole}, {"sorted", Kind::sorted}}) {
        if (const auto bounds = after(text, word)) {
            return with_bounds(kind, *bounds, "..", expression);
        }
    }
    const auto bounds = after(text, "normal");
    return bounds ? with_bounds(Kind::normal, *bounds, ", ", expression) : std::nullopt;
}

Fill Fill::bound(const std::function<std::optional<Scalar>(const Expression&)>& value_of,
                 const std::function<std::string(const std::string&)>& text_of) const {
    Fill result = *this;
    result.file = filled_option(file, text_of);
    if (has_bounds) {
        result.low = Expression::constant(value_of(low).value_or(Scalar{}));
        result.high = Expression::constant(value_of(high).value_or(Scalar{}));
    }
    return result;
}

}  // namespace jitune::internal
