// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace jitune::internal {

/// At most `most` of the values, at equal distances, the first and the last among them. `most` is
/// at least 2.
template <class Value>
std::vector<Value> thinned(const std::vector<Value>& all, std::size_t most) {
    if (all.size() <= most) {
        return all;
    }
    std::vector<Value> some;
    for (std::size_t i = 0; i < most; ++i) {
        some.push_back(all[i * (all.size() - 1) / (most - 1)]);
    }
    return some;
}

}  // namespace jitune::internal
