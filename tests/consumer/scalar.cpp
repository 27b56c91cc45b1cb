// SPDX-License-Identifier: Apache-2.0
// What must not compile: a scalar and a pointer in place of ranges.
#include <vector>

#include <jitune/map_reduce.hpp>

double scaled(const std::vector<float>& x, float scale, const float* y) {
    return jitune::tuned_map_reduce<double>("sum(x * scale)", x, scale) +
           jitune::tuned_map_reduce<double>("sum(y)", y);
}
