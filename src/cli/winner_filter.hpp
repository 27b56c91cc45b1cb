// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"
#include "tuner_db/record.hpp"

namespace jitune::internal {

/// Arguments that choose winners of a database; an empty one chooses all.
struct WinnerFilter {
    std::string kernel;
    std::string type;
    std::string op;
    std::string device_class;  ///< a part of it

    std::vector<Option> options(const OptionRules& rules = {});

    [[nodiscard]] bool matches(const Winner& winner) const;

    /// Returns the winners that match the filter.
    [[nodiscard]] std::vector<Winner> of(std::vector<Winner> winners) const;
};

}  // namespace jitune::internal
