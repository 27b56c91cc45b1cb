// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "space/value.hpp"

namespace jitune::internal {

/// A Scalar that borrows its text, so that evaluation copies 16 bytes and allocates nothing. The
/// functions below are SQL's arithmetic, comparisons and logic on it, as SQLite has them.
struct Datum {
    enum class Kind : std::uint8_t { null, integer, real, text };

    Datum() = default;
    explicit Datum(std::int64_t value) : kind(Kind::integer), integer(value) {}
    explicit Datum(const std::string* value) : kind(Kind::text), text(value) {}
    /// NULL for a NaN.
    explicit Datum(double value);

    [[nodiscard]] bool is_null() const { return kind == Kind::null; }
    [[nodiscard]] bool is_integer() const { return kind == Kind::integer; }
    [[nodiscard]] bool is_text() const { return kind == Kind::text; }
    [[nodiscard]] bool is_true() const;
    [[nodiscard]] bool is_false() const { return !is_null() && !is_true(); }

    Kind kind = Kind::null;
    union {
        std::int64_t integer = 0;
        double real;
        const std::string* text;
    };
};

Scalar to_scalar(Datum value);
struct ExpressionNode;

using NodePointer = std::shared_ptr<const ExpressionNode>;
using Operands = std::vector<NodePointer>;
using Slots = std::span<const std::int64_t>;

/// The function of a node on its operands: one row of the tables in expression_node.cpp.
struct Operation {
    std::string_view name;
    Datum (*evaluate)(const ExpressionNode&, Slots) = nullptr;
    /// The node that can replace the operation although not all operands are known, or null.
    NodePointer (*shortcut)(const Operands&) = nullptr;
    std::size_t min_operands = 0;  ///< of a function
    std::size_t max_operands = 0;
};

/// A literal, a name or an operation. Immutable and never moved: `datum` may point to `text`.
struct ExpressionNode {
    static constexpr std::size_t kNoSlot = std::numeric_limits<std::size_t>::max();

    [[nodiscard]] bool is_literal() const;
    [[nodiscard]] bool is_name() const;
    [[nodiscard]] Datum evaluate(Slots slots) const { return operation->evaluate(*this, slots); }

    const Operation* operation = nullptr;
    Operands operands;
    Datum datum;                 ///< of a literal
    std::string text;            ///< the name, or what `datum` borrows
    std::size_t slot = kNoSlot;  ///< of a name
    std::size_t depth = 1;
    std::size_t size = 1;  ///< nodes, shared ones as often as they are reached
};

/// Throws Error(usage) for text that is not an identifier. A NaN becomes NULL.
NodePointer make_literal(const Scalar& value);
NodePointer make_name(std::string_view name, std::size_t slot = ExpressionNode::kNoSlot);
/// A name whose slot holds the position of its value in `values`, which are literals. Evaluation
/// checks neither the slot nor the position.
NodePointer make_choice(std::string_view name, std::size_t slot, Operands values);
/// Throws Error(usage) for a tree that is too deep or too large to be walked recursively.
NodePointer make_operation(const Operation& operation, Operands operands);

/// "+", "-", …, "negate", "NOT", "IN". `name` must be one of them.
const Operation& operator_named(std::string_view name);

/// min, max, abs, ceil_div, iif.
std::span<const Operation> functions();

/// The tree of `text`. Throws Error(usage): the text, the position counted in bytes from 1, what
/// was expected there.
NodePointer parse_expression(std::string_view text);

}  // namespace jitune::internal
