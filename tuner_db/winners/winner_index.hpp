// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "sizes/box_sets.hpp"
#include "tuner_db/winners/record.hpp"

namespace jitune::internal {

/// Finds the winners of a table that serve a problem without looking at all of them: tables have
/// thousands of winners, and tens of thousands of recorded calls are asked for.
class WinnerIndex {
public:
    /// `winners` must outlive the index.
    explicit WinnerIndex(std::span<const Winner> winners);

    /// The places in the table of the winners, sure or unsure, whose boxes hold `sizes` and whose
    /// key differs from `key` at most in the bucket; in the table's order. A winner with malformed
    /// sizes serves none.
    [[nodiscard]] std::vector<std::size_t> serving(const RecordKey& key,
                                                   std::span<const std::int64_t> sizes) const;

private:
    struct Group {
        std::vector<SizeBox> boxes;
        std::vector<std::size_t> winners;  ///< of each box
        std::unique_ptr<const BoxIndex> index;
    };

    std::map<SizedKernel, Group> groups_;
};

}  // namespace jitune::internal
