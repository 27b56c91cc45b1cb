// SPDX-License-Identifier: Apache-2.0
// The windowed entropy beside a copy of the same bytes: of noise, whose counts are small, of areas
// of one level, whose counts are not, and of a width that no pack of four divides.
//
//     entropy_copy [SIZE] [BUDGET_S] [WINDOW] [LEVELS]
//
// By default 10240 x 10240 float32 elements, 60 s of tuning for each problem that the database
// (JITUNE_DB) does not have, a window of 5 and 16 levels.

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "copy_bench.hpp"
#include "jitune/entropy.hpp"

namespace {

using namespace jitune;
using namespace jitune::internal;

/// Squares of 64 x 64 elements of one level each.
std::vector<float> areas(std::size_t size, int levels) {
    std::vector<float> values(size * size);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::size_t area = i / size / 64 * 7 + i % size / 64;
        values[i] = static_cast<float>(area % static_cast<std::size_t>(levels));
    }
    return values;
}

void run(std::int64_t size, const std::string& budget, const Entropy& entropy) {
    Options options = Options::from_environment();
    options.budget = parse_budget(budget);
    Session session(options);
    const auto edge = static_cast<std::size_t>(size);
    CopyBench bench(edge * edge * sizeof(float));
    const float* const noisy = bench.upload(noise(edge * edge, entropy.levels));
    const float* const flat = bench.upload(areas(edge, entropy.levels));
    float* const output = bench.upload(std::vector<float>(edge * edge));
    const auto add = [&](const char* name, const float* input, std::int64_t columns) {
        bench.add(name, [=, &session] {
            tuned_entropy(input, size, columns, output, entropy, nullptr, session);
        });
    };
    add("noise", noisy, size);
    add("areas of one level", flat, size);
    add("noise, one column less", noisy, size - 1);
    bench.run(
        fmt::format("{0} x {0}, window {1}, {2} levels", size, entropy.window, entropy.levels));
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const auto number = [&](int i, int standard) {
            return argc > i ? std::atoi(argv[i]) : standard;
        };
        run(number(1, 10240), argc > 2 ? argv[2] : "60", {number(3, 5), number(4, 16)});
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "entropy_copy: {}\n", error.what());
        return 1;
    }
}
