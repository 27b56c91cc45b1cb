// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "formula/vocabulary.hpp"
#include "jitune/reduction.hpp"

namespace jitune::internal {

/// The custom operations of a formula, as src/formula knows them. Immutable.
class OwnOperations {
public:
    /// Throws Error(usage): a bad operation, a name that is a word of formulas, or two of one name.
    explicit OwnOperations(const std::vector<CustomOperation>& operations);
    OwnOperations(const OwnOperations&) = delete;
    OwnOperations& operator=(const OwnOperations&) = delete;
    OwnOperations(OwnOperations&&) noexcept = default;
    OwnOperations& operator=(OwnOperations&&) noexcept = default;
    ~OwnOperations() = default;

    /// Valid as long as this, also when it is moved.
    [[nodiscard]] std::span<const FormulaOperation> all() const { return all_; }

private:
    struct Texts {
        std::string name, code, source;
    };

    std::vector<Texts> texts_;
    std::vector<FormulaOperation> all_;
};

}  // namespace jitune::internal
