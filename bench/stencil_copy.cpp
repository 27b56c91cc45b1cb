// SPDX-License-Identifier: Apache-2.0
// The stencil beside a copy of the same bytes.
//
//     stencil_copy [N] [BUDGET_S] [RADIUS...]
//
// By default 2^27 float32 elements, 60 s of tuning for each problem that the database (JITUNE_DB)
// does not have, and radii 1, 8 and 25, each with equal weights and with weights of its own.

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "copy_bench.hpp"
#include "jitune/stencil.hpp"

namespace {

using namespace jitune;
using namespace jitune::internal;

void run(std::int64_t n, const std::string& budget, const std::vector<int>& radii) {
    Options options = Options::from_environment();
    options.budget = parse_budget(budget);
    Session session(options);
    const auto count = static_cast<std::size_t>(n);
    CopyBench bench(count * sizeof(float));
    constexpr int kLevels = 1000;
    const float* const input = bench.upload(noise(count, kLevels));
    float* const output = bench.upload(std::vector<float>(count));
    std::vector<std::vector<double>> weights;
    for (const int radius : radii) {
        weights.emplace_back(static_cast<std::size_t>(2 * radius + 1), 1.0 / (2 * radius + 1));
    }
    for (std::size_t i = 0; i < radii.size(); ++i) {
        for (const bool weighted : {false, true}) {
            Stencil stencil{.radius = radii[i]};
            if (weighted) {
                stencil.weights = weights[i];
            }
            bench.add(
                fmt::format("k={} {}", radii[i], weighted ? "weights" : "sum"),
                [=, &session] { tuned_stencil(input, n, output, stencil, nullptr, session); });
        }
    }
    bench.run(fmt::format("{} float32", n));
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const std::int64_t n = argc > 1 ? std::atoll(argv[1]) : std::int64_t{1} << 27;
        std::vector<int> radii;
        for (int i = 3; i < argc; ++i) {
            radii.push_back(std::atoi(argv[i]));
        }
        run(n, argc > 2 ? argv[2] : "60", radii.empty() ? std::vector{1, 8, 25} : radii);
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "stencil_copy: {}\n", error.what());
        return 1;
    }
}
