// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "space/value.hpp"

namespace jitune::internal {

struct ExpressionNode;

/// A formula over parameters, device attributes and sizes, in a subset of SQL's expression
/// language:
///
///     literals       12  1.5  2e-3  'name'               text is an identifier
///     arithmetic     + - * / %      integers divide like C++, towards zero; by 0 it is NULL
///     comparisons    = == != <> < <= > >=  [NOT] IN (…)    chains such as 1 <= a <= 4 are refused
///     logic          AND OR NOT
///     functions      min(…) max(…) abs(x) ceil_div(a, b) iif(condition, a, b)
///
/// Keywords and functions in any case, names are case-sensitive. An integer that overflows becomes
/// a real and abs(-2^63) is NULL. Depth and size are limited, so that no text overflows the stack.
/// Evaluation costs a few nanoseconds an operation and no lock. Immutable; copies share.
class Expression {
public:
    /// The constant NULL.
    Expression() : Expression(constant(Scalar{})) {}

    /// Throws Error(usage): the text, the position, what was expected there.
    static Expression parse(std::string_view text);
    /// Throws Error(usage) for text that is not an identifier; a NaN is NULL. So does bind().
    static Expression constant(const Scalar& value);

    /// The text that was parsed, or the literal of a constant.
    [[nodiscard]] const std::string& text() const;

    /// The names that the expression needs, without those that `substitute` and `bind` have
    /// replaced.
    [[nodiscard]] std::set<std::string> names() const;

    /// Replaces each name found in `definitions` by its expression, which is not searched again.
    [[nodiscard]] Expression substitute(const std::map<std::string, Expression>& definitions) const;

    /// Replaces each name found in `values` by its value, and folds every constant part.
    [[nodiscard]] Expression bind(const std::map<std::string, Scalar>& values) const;

    /// The value, if no names are left.
    [[nodiscard]] std::optional<Scalar> constant_value() const;

    /// The value with the names given by position: `slots[i]` is the value of `names[i]` in the
    /// `for_slots(names)` that made this expression. Throws Error(usage) for a name without a slot.
    [[nodiscard]] Expression for_slots(std::span<const std::string> names) const;
    [[nodiscard]] Scalar evaluate(std::span<const std::int64_t> slots = {}) const;

    /// The same with the values of parameters given by their positions: `slots[i]` is that of a
    /// value of `parameters[i]` in its list. Names of no parameter stay. holds(): is_true().
    [[nodiscard]] Expression for_positions(std::span<const Parameter> parameters) const;
    [[nodiscard]] bool holds(std::span<const std::int64_t> slots) const;

    /// The parts that AND connects: the expression is true if all of them are.
    [[nodiscard]] std::vector<Expression> conjuncts() const;

    /// The other side, if this is an equation one side of which is `name` and the other lacks it.
    [[nodiscard]] std::optional<Expression> solved_for(std::string_view name) const;

    /// How many operations and operands there are.
    [[nodiscard]] std::size_t size() const;

    /// The expression as it is now: names in quotes, values in place of those that `bind` has
    /// replaced, each operation in parentheses. Equal texts stand for equal values.
    [[nodiscard]] std::string tree_text() const;

private:
    explicit Expression(std::shared_ptr<const ExpressionNode> root, std::string text);

    std::shared_ptr<const ExpressionNode> root_;
    std::string text_;
};

/// SQL's truth: a number that is not 0. NULL and text are not true.
bool is_true(const Scalar& value);

/// The value as a literal: 12, 1.5, 'name', NULL.
std::string to_string(const Scalar& value);

}  // namespace jitune::internal
