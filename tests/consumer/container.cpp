// SPDX-License-Identifier: Apache-2.0
// What must not compile: a container in place of a pointer.
#include <vector>

#include <jitune/map_reduce.hpp>

void call(const jitune::MapReduce& formula, const std::vector<float>& x, float* sum) {
    formula({{"x", x}}, 3, {{"s", sum}});
}
