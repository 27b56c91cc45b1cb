// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "sizes/size_box.hpp"
#include "tuner_db/winners/record.hpp"

namespace jitune::internal {

/// Orders winners by kernel, types, device class, alignment, template and number of sizes. Winners
/// whose keys differ in the bucket alone are equal. The number of sizes differs in damaged tables
/// only.
struct KeyOfAnyBucket {
    bool operator()(const Winner* left, const Winner* right) const;
};

/// A row of the table, and the sizes at which it is the one that answers.
struct ServedSizes {
    const Winner* winner = nullptr;
    std::vector<SizeBox> boxes;  ///< for an unsure row, all its boxes
};

/// The served sizes of all rows of a table, in the order in which find() looks at them. Another
/// program may leave several rows that serve a size: then the first sure one answers.
std::vector<ServedSizes> served_sizes(std::span<const Winner> winners);

}  // namespace jitune::internal
