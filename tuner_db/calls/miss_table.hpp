// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "tuner_db/calls/miss.hpp"
#include "tuner_db/calls/sum_table.hpp"
#include "tuner_db/file/sqlite.hpp"

namespace jitune::internal {

/// The table `miss`: at most kMostRows problems that calls had no winner for. Call all functions
/// but all() in a write transaction.
class MissTable {
public:
    static constexpr std::int64_t kMostRows = 10'000;

    explicit MissTable(const sqlite::Connection& connection);

    /// As SumTable::add(). Where the table is full, rows go that were called least.
    void add(std::span<const Miss> misses) { sums_.add(misses); }

    /// Removes the row of a problem, if there is one.
    void remove(const Miss& miss);

    /// Removes the rows of problems that a winner serves, unless it is_to_be_tuned().
    void remove_served(const Winner& winner);

    /// Those called most come first.
    SumTable<Miss>::Rows all() {
        return sums_.all(
            [](const Miss& miss) { return miss.problem_sizes() && miss.problem_types(); });
    }

private:
    SumTable<Miss> sums_;
    sqlite::Statement remove_, of_key_;
};

}  // namespace jitune::internal
