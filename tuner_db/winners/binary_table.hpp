// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tuner_db/file/sqlite.hpp"
#include "tuner_db/winners/kept_binary.hpp"

namespace jitune::internal {

/// The table `binary`: compiled code up to a number of rows and of bytes. If it is full, the rows
/// go that were not used for the longest time.
class BinaryTable {
public:
    struct Limits {
        std::int64_t rows = 1000;
        std::int64_t bytes = std::int64_t{64} << 20;  ///< of all images
    };

    explicit BinaryTable(const sqlite::Connection& connection)
        : BinaryTable(connection, Limits{}) {}
    BinaryTable(const sqlite::Connection& connection, Limits limits);

    struct Found {
        std::vector<KeptBinary> binaries;
        std::int64_t damaged = 0;  ///< rows that are left out
    };
    /// The rows of the same template, device class and instance as `wanted`, used last first.
    Found find(const KeptBinary& wanted);

    /// Adds code, or replaces it. Leaves out an image of more than a quarter of the limit. Call it
    /// in a write transaction.
    void put(std::span<const KeptBinary> binaries);

private:
    const Limits limits_;
    sqlite::Statement find_, put_, shrink_;
};

}  // namespace jitune::internal
