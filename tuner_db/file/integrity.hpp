// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tuner_db/file/sqlite.hpp"

namespace jitune::internal {

/// What a look at all of a store has found.
struct StoreCheck {
    std::int64_t winners = 0;
    std::int64_t measurements = 0;
    std::vector<std::string> problems;  ///< one line per damaged row or failed integrity check
};

/// Reads the whole database. Does not throw for damage.
StoreCheck check_store(const sqlite::Connection& connection);

}  // namespace jitune::internal
