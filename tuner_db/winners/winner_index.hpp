// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <utility>
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
    /// A kernel, and how many sizes a problem has.
    using Name = std::pair<const KernelKey*, std::size_t>;
    struct Less {
        bool operator()(const Name& left, const Name& right) const;
    };
    struct Group {
        std::vector<SizeBox> boxes;
        std::vector<std::size_t> winners;  ///< of each box
        std::unique_ptr<const BoxIndex> index;
    };

    std::map<Name, Group, Less> groups_;
};

}  // namespace jitune::internal
