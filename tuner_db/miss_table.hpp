// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tuner_db/miss.hpp"
#include "tuner_db/sqlite.hpp"

namespace jitune::internal {

/// The table `miss`: at most kMostRows problems that calls had no winner for. Call all functions
/// but all() in a write transaction.
class MissTable {
public:
    static constexpr std::int64_t kMostRows = 10'000;

    explicit MissTable(const sqlite::Connection& connection);

    /// Adds a problem's calls to its row, or makes the row. A damaged row is replaced. Where the
    /// table is full, the row that was called least goes.
    void add(const Miss& miss);

    /// Removes the row of a problem, if there is one.
    void remove(const Miss& miss);

    /// Removes the rows of problems that a winner serves, unless it is unsure.
    void remove_served(const Winner& winner);

    struct Rows {
        std::vector<Miss> misses;  ///< those called most come first
        std::int64_t damaged = 0;  ///< rows that are left out
    };
    Rows all();

private:
    sqlite::Statement find_, put_, remove_, of_key_, all_, shrink_;
};

}  // namespace jitune::internal
