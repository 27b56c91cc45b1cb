// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/winner_filter.hpp"
#include "tuner_db/record.hpp"

namespace jitune::internal {

/// Arguments that choose one winner of a database: its row, or filters.
struct WinnerChoice {
    std::optional<std::int64_t> row;  ///< as "db list" counts; else the filters hold
    WinnerFilter filter;
    std::string n;

    std::vector<Option> options();

    /// The chosen one of `winners`. Throws Error(usage) where no winner matches, and one that lists
    /// the matches where there are several.
    [[nodiscard]] const Winner& select(const std::vector<Winner>& winners) const;
};

}  // namespace jitune::internal
