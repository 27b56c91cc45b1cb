// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <vector>

#include <jitune/reduce.hpp>

int main() {
    // Thrown inside the library and caught here: its type must be the same on both sides.
    try {
        jitune::parse_log_level("loud");
        return 1;
    } catch (const jitune::Error& error) {
        if (error.kind() != jitune::ErrorKind::usage) {
            return 2;
        }
    }
    jitune::Options options;
    options.database.clear();
    options.on_miss = jitune::TunePolicy::template_default;
    jitune::Session session(options);
    const std::vector<float> values(1000, 0.25F);
    const float sum = jitune::tuned_reduce<float>(values, jitune::ReduceOp::sum, session);
    std::printf("sum of 1000 times 0.25: %g\n", static_cast<double>(sum));
    return sum == 250.0F ? 0 : 3;
}
