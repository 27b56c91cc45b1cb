// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "sizes/size_box.hpp"
#include "tuner_db/winners/record.hpp"

namespace jitune::internal {

/// Orders winners by kernel, types, device class, alignment, template and number of sizes. Those
/// that differ in the bucket alone are one. The number of sizes differs in damaged tables only.
struct KeyOfAnyBucket {
    bool operator()(const Winner* left, const Winner* right) const;
};

/// A row of the table, and the sizes at which it is the one that answers.
struct ServedSizes {
    const Winner* winner = nullptr;
    std::vector<SizeBox> boxes;  ///< of an unsure row, all that it has
};

/// Of all rows of a table, in the order in which find() looks at them: where several serve a size,
/// as another program may leave them, the first one that is not unsure does.
std::vector<ServedSizes> served_sizes(std::span<const Winner> winners);

}  // namespace jitune::internal
