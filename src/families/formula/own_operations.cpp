// SPDX-License-Identifier: Apache-2.0
#include "families/formula/own_operations.hpp"

#include <fmt/format.h>

#include "families/reduce/custom_operation.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {

OwnOperations::OwnOperations(const std::vector<CustomOperation>& operations) {
    texts_.reserve(operations.size());  // views of them stay
    for (const CustomOperation& one : operations) {
        refuse_bad_operation(one);
        if (is_formula_word(one.name)) {
            throw Error(ErrorKind::usage,
                        fmt::format("custom operation \"{}\": its name has a meaning in formulas: "
                                    "give it another one",
                                    one.name));
        }
        if (formula_operation(one.name, all_) != nullptr) {
            throw Error(ErrorKind::usage,
                        fmt::format("a formula has two custom operations \"{}\"", one.name));
        }
        const std::string suffix = "_" + one.name;
        const Texts& texts =
            texts_.emplace_back(Texts{one.name, "Custom" + suffix, custom_source(one, suffix)});
        all_.push_back({texts.name, FormulaOperation::Kind::own, texts.code, one.result,
                        one.tolerance, texts.source});
    }
}

}  // namespace jitune::internal
