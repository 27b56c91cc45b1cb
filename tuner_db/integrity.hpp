// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tuner_db/sqlite.hpp"

namespace jitune::internal {

/// These read a database whole, add one line to `problems` for each thing that does not hold, and
/// never throw for damage.

void check_pages(const sqlite::Connection& connection, std::vector<std::string>& problems);

/// Give the number of rows that hold.
std::int64_t check_winners(const sqlite::Connection& connection,
                           std::vector<std::string>& problems);
std::int64_t check_measurements(const sqlite::Connection& connection,
                                std::vector<std::string>& problems);

}  // namespace jitune::internal
