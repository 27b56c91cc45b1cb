// SPDX-License-Identifier: Apache-2.0
#include "spread/partition.hpp"

#include <algorithm>

namespace jitune::internal {

std::vector<Part> partition(std::int64_t count, std::int64_t parts, std::int64_t halo) {
    const std::int64_t used = std::min(parts, count);
    std::vector<Part> result;
    for (std::int64_t i = 0; i < used; ++i) {
        // The first `count % used` parts have one row more.
        const auto start = [&](std::int64_t part) {
            return count / used * part + std::min(part, count % used);
        };
        const std::int64_t begin = start(i);
        const std::int64_t end = start(i + 1);
        result.push_back(
            {begin, end, std::max<std::int64_t>(begin - halo, 0), std::min(end + halo, count)});
    }
    return result;
}

}  // namespace jitune::internal
