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
        array,      ///< of n elements
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

/// The names and types of one form of a call, and the operations that are the formula's own. An
/// array that a formula reads and writes is both.
struct FormulaBinding {
    std::vector<FormulaInput> inputs;
    std::vector<FormulaOutput> outputs;
    std::span<const FormulaOperation> operations = {};

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
