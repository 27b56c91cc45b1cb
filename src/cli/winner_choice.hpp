// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "tuner_db/record.hpp"

namespace jitune::internal {

/// Which winner of a database a command is about, as it was written: a row or filters.
struct WinnerChoice {
    std::optional<std::int64_t> row;  ///< as "db list" counts; else by the filters
    std::string kernel;
    std::string type;
    std::string op;
    std::string n;
    std::string device_class;

    std::vector<Option> options();

    /// The one of `winners` that is meant. Throws Error(usage) where there is none, and with what
    /// there is to choose from where there are several.
    [[nodiscard]] const Winner& select(const std::vector<Winner>& winners) const;
};

}  // namespace jitune::internal
