// SPDX-License-Identifier: Apache-2.0
// Sums an array with the kernel that jitune finds best for it. The first run tunes; later runs find
// the winner in the database.

#include <cstdio>
#include <vector>

#include "jitune/reduce.hpp"

int main() {
    try {
        const std::vector<float> values(1 << 20, 0.5F);
        std::printf("%g\n", static_cast<double>(jitune::tuned_reduce<float>(values)));
    } catch (const jitune::Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
