// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formula/binding.hpp"
#include "formula/syntax.hpp"
#include "formula/vocabulary.hpp"

namespace jitune::internal {

/// One thing that a stage does, in the formula's order.
struct FormulaStep {
    enum class Kind {
        reduce,   ///< of `value`, where `where` holds, to result `result`
        store,    ///< `value` to each element of `array`
        compute,  ///< result `result` from results and scalars, once, at the stage's end
    } kind = Kind::reduce;
    FormulaNode value;
    std::optional<FormulaNode> where = {};
    const FormulaOperation* operation = nullptr;
    std::size_t result = 0;
    std::string array = {};
};

/// One pass over the arrays.
struct FormulaStage {
    std::vector<FormulaStep> steps;
};

struct FormulaResult {
    std::string name;  ///< empty: of a reduction inside another expression
    std::size_t stage = 0;
    bool is_read_later = false;  ///< by a later stage
};

/// The passes of a formula for one form of call. Its expressions name result number k "@k".
struct FormulaPlan {
    std::vector<FormulaStage> stages;
    std::vector<FormulaResult> results;
};

/// The index of the result that a node of kind name stands for, or nothing.
std::optional<std::size_t> result_of(const FormulaNode& node);

/// Puts the statements into as few stages as their order allows: a stage begins where elements need
/// a result from above. Throws Error(usage): names that the call does not bring, outputs that no
/// statement gives, arrays where one value is needed, and more stages or results than a call can
/// have.
FormulaPlan plan_formula(std::string_view text, const std::vector<FormulaStatement>& statements,
                         const FormulaBinding& binding);

}  // namespace jitune::internal
