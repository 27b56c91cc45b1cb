// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tuner_db/file/sqlite.hpp"

namespace jitune::internal {

/// Each of these reads the whole database, adds one line to `problems` for each fault, and does not
/// throw for damage.

void check_pages(const sqlite::Connection& connection, std::vector<std::string>& problems);

/// Return the number of intact rows.
std::int64_t check_winners(const sqlite::Connection& connection,
                           std::vector<std::string>& problems);
std::int64_t check_measurements(const sqlite::Connection& connection,
                                std::vector<std::string>& problems);

/// Reads every miss, usage and pause.
void check_call_records(const sqlite::Connection& connection, std::vector<std::string>& problems);

void check_binaries(const sqlite::Connection& connection, std::vector<std::string>& problems);

/// Reads every pin, and the log of merges.
void check_choices(const sqlite::Connection& connection, std::vector<std::string>& problems);

}  // namespace jitune::internal
