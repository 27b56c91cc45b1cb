// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "formula/syntax.hpp"
#include "jitune/element_type.hpp"

namespace jitune::internal {

/// C++ text of an expression, and its type: int32, uint32, int64, uint64, float32 or float64.
struct TypedText {
    std::string text;
    ElementType type = ElementType::float32;
    /// A number as the formula has it, or one made of such alone: it takes the type of what it
    /// meets, as in NumPy.
    bool is_weak = false;
    bool is_truth = false;  ///< a bool, which counts as int32
};

/// "float"; of every element type as kernels name it.
std::string_view kernel_type(ElementType type);

/// The type in which expressions compute with elements of a type: float32 for 16-bit floats, int32
/// for small integers.
ElementType computing_type(ElementType type);

bool is_real(const TypedText& one);

/// The text converted to a computing type.
std::string as_type(const TypedText& one, ElementType type);

/// The text of a condition.
std::string as_truth(const TypedText& one);

/// The text converted to the type of an array's elements or of a result.
std::string as_stored(const TypedText& one, ElementType type);

/// The text of an element of a type, which `text` reads, for expressions.
TypedText loaded(const std::string& text, ElementType type);

/// Writes expressions in C++. Nothing but the words of the vocabulary and what `name` returns gets
/// into the text.
class ExpressionWriter {
public:
    /// `name` gives the text of a node of kind name or first; it may throw.
    using Name = std::function<TypedText(const FormulaNode&)>;

    /// `formula` is the text that messages show.
    ExpressionWriter(std::string_view formula, Name name)
        : formula_(formula), name_(std::move(name)) {}

    /// Throws Error(usage) for what has no meaning: unknown functions, operands of a wrong type.
    [[nodiscard]] TypedText write(const FormulaNode& node) const;

private:
    [[nodiscard]] TypedText number(const FormulaNode& node) const;
    [[nodiscard]] TypedText unary(const FormulaNode& node) const;
    [[nodiscard]] TypedText binary(const FormulaNode& node) const;
    [[nodiscard]] TypedText power(const FormulaNode& node) const;
    [[nodiscard]] TypedText choice(const FormulaNode& node, std::size_t at) const;
    [[nodiscard]] TypedText call(const FormulaNode& node) const;
    [[noreturn]] void refuse(const FormulaNode& node, const std::string& flaw) const;

    std::string_view formula_;
    Name name_;
};

}  // namespace jitune::internal
