// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "formula/vocabulary.hpp"
#include "jitune/element_type.hpp"

namespace jitune::internal {

/// An input of a call: an array or a scalar that the formula reads by this name.
struct FormulaInput {
    enum class Kind {
        array,      ///< of all elements
        places,     ///< of an element for each place in a line, the same for all lines
        lines,      ///< of a scalar for each line
        value,      ///< a scalar by value
        in_memory,  ///< a scalar in the memory of the device
    };
    std::string name;
    Kind kind = Kind::array;
    ElementType type = ElementType::float32;
};

/// An output of a call: the place of a result, or an array that the formula writes.
struct FormulaOutput {
    std::string name;
    ElementType type = ElementType::float32;
};

/// What the operations of a formula reduce.
enum class LineShape {
    flat,      ///< all elements
    rows,      ///< each row of a row-major matrix
    columns,   ///< each column
    segments,  ///< each of the runs of elements between offsets
};

/// Whether the formula reads an element of it for each element of a line.
inline bool has_elements(const FormulaInput& input) {
    return input.kind == FormulaInput::Kind::array || input.kind == FormulaInput::Kind::places;
}

/// The names and types of one form of a call, and the operations that are the formula's own. An
/// array that a formula reads and writes is both.
struct FormulaBinding {
    std::vector<FormulaInput> inputs;
    std::vector<FormulaOutput> outputs;
    std::span<const FormulaOperation> operations = {};
    LineShape shape = LineShape::flat;
    ElementType offset = ElementType::int64;  ///< of segments

    [[nodiscard]] const FormulaInput* input(const std::string& name) const {
        for (const FormulaInput& one : inputs) {
            if (one.name == name) {
                return &one;
            }
        }
        return nullptr;
    }
    [[nodiscard]] const FormulaOutput* output(const std::string& name) const {
        for (const FormulaOutput& one : outputs) {
            if (one.name == name) {
                return &one;
            }
        }
        return nullptr;
    }
};

}  // namespace jitune::internal
