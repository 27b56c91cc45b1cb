// SPDX-License-Identifier: Apache-2.0
// What constructing a search space costs in CPU time (one thread), in whatever order its parameters
// and constraints are written.
//
//     space_cost [ORDERS]    each space as listed below, then in so many random orders

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "space/search_space.hpp"

namespace {

using namespace jitune;
using namespace jitune::internal;

struct Example {
    const char* name;
    std::vector<Parameter> parameters;
    std::vector<std::string> constraints;
};

Parameter range(std::string name, std::int64_t first, std::int64_t last, std::int64_t step = 1) {
    Parameter parameter{std::move(name), {}, 0};
    for (std::int64_t value = first; value <= last; value += step) {
        parameter.values.emplace_back(value);
    }
    return parameter;
}

Parameter powers(std::string name, std::int64_t first, std::int64_t last) {
    Parameter parameter{std::move(name), {}, 0};
    for (std::int64_t value = first; value <= last; value *= 2) {
        parameter.values.emplace_back(value);
    }
    return parameter;
}

/// A million combinations, and a billion with ten constraints, both to about 10 %; and lists as
/// long as they may be, of which an equation gives one.
std::vector<Example> examples() {
    const std::vector<Parameter> small{range("block_x", 16, 256, 16), powers("block_y", 1, 16),
                                       range("tile_x", 1, 8),         range("tile_y", 1, 8),
                                       range("unroll", 0, 9),         range("padding", 0, 1),
                                       range("shared", 0, 1),         powers("vector", 1, 8)};
    const std::vector<Parameter> large{
        powers("m_block", 16, 256), powers("n_block", 16, 256), powers("k_block", 8, 64),
        powers("m_threads", 4, 64), powers("n_threads", 4, 64), powers("a_threads", 4, 64),
        powers("b_threads", 4, 64), powers("k_inner", 1, 64),   powers("m_vector", 1, 8),
        powers("n_vector", 1, 8),   range("m_stride", 0, 1),    range("n_stride", 0, 1),
        range("a_shared", 0, 1),    range("b_shared", 0, 1),    range("stages", 1, 8)};
    return {
        {"1e6, no constraint", small, {}},
        {"1e6, 4 constraints",
         small,
         {"block_x * block_y <= 1024", "block_x * block_y >= 32", "tile_x % vector = 0",
          "shared = 1 OR padding = 0"}},
        {"2e7, an equation",
         {range("rows", 1, 255), range("columns", 1, 255), range("threads", 1, 255)},
         {"rows * columns = threads"}},
        {"1e9, 10 constraints",
         large,
         {"k_block % k_inner = 0", "m_block % (m_threads * m_vector) = 0",
          "n_block % (n_threads * n_vector) = 0", "m_block % (a_threads * m_vector) = 0",
          "n_block % (b_threads * n_vector) = 0", "a_threads = m_threads",
          "b_threads * m_vector = n_threads * n_vector",
          "stages * 4 * k_block * (a_shared * m_block + b_shared * n_block) <= 49152",
          "m_threads * n_threads <= 1024",
          "m_threads * n_threads % 32 = 0 AND m_stride + n_stride < 2"}},
    };
}

double construct_ms(const Example& example, std::size_t& size) {
    std::vector<Expression> constraints;
    for (const std::string& text : example.constraints) {
        constraints.push_back(Expression::parse(text));
    }
    const std::clock_t begin = std::clock();
    const SearchSpace space(example.parameters, constraints);
    size = space.size();
    return 1e3 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

}  // namespace

int main(int argc, char** argv) {
    const int orders = argc > 1 ? std::atoi(argv[1]) : 10;
    std::mt19937_64 random(1);
    std::printf("%-22s %14s %10s %9s   in %d random orders: min median max\n", "space",
                "combinations", "valid", "ms", orders);
    for (Example& example : examples()) {
        double combinations = 1;
        for (const Parameter& parameter : example.parameters) {
            combinations *= static_cast<double>(parameter.values.size());
        }
        std::size_t size = 0;
        const double as_listed = construct_ms(example, size);
        std::printf("%-22s %14.0f %10zu %9.1f", example.name, combinations, size, as_listed);
        std::fflush(stdout);
        std::vector<double> times;
        for (int i = 0; i < orders; ++i) {
            std::shuffle(example.parameters.begin(), example.parameters.end(), random);
            std::shuffle(example.constraints.begin(), example.constraints.end(), random);
            times.push_back(construct_ms(example, size));
        }
        std::sort(times.begin(), times.end());
        if (!times.empty()) {
            std::printf("   %.1f %.1f %.1f", times.front(), times[times.size() / 2], times.back());
        }
        std::printf("\n");
    }
}
