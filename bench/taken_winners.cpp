// SPDX-License-Identifier: Apache-2.0
// Whether calls are right at each instant while another process tunes what they call: five
// operations of int32 in host memory, at 24 sizes from 2^11 to 2^22, in random order, every result
// checked, until CALLS calls are made and SWAPS answers have been replaced, or SECONDS are over.
//
//     taken_winners CALLS SWAPS SECONDS
//
// Takes winners from the database of the environment and tunes nothing itself. Once it says
// "recorded", tune in another process: jitune sweep worklist --device host. Ends with 1 after a
// wrong result.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <span>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "jitune/reduce.hpp"

namespace {

using namespace jitune;
using Clock = std::chrono::steady_clock;

constexpr std::array kOps{ReduceOp::sum, ReduceOp::min, ReduceOp::max, ReduceOp::count_nonzero,
                          ReduceOp::max_abs};
constexpr int kSizes = 24;

struct Problem {
    ReduceOp op;
    std::span<const std::int32_t> values;
    std::int64_t right = 0;

    [[nodiscard]] std::int64_t call(Session& session) const {
        const bool is_wide = op == ReduceOp::count_nonzero || op == ReduceOp::max_abs;
        return is_wide ? tuned_reduce<std::int64_t>(values, op, session)
                       : std::int64_t{tuned_reduce(values, op, session)};
    }
};

std::int64_t right_result(ReduceOp op, std::span<const std::int32_t> values) {
    std::int64_t result = op == ReduceOp::min ? INT32_MAX : op == ReduceOp::max ? INT32_MIN : 0;
    for (const std::int32_t value : values) {
        switch (op) {
            case ReduceOp::sum:
                result = static_cast<std::int32_t>(static_cast<std::uint32_t>(result) +
                                                   static_cast<std::uint32_t>(value));
                break;
            case ReduceOp::min:
                result = std::min<std::int64_t>(result, value);
                break;
            case ReduceOp::max:
                result = std::max<std::int64_t>(result, value);
                break;
            case ReduceOp::count_nonzero:
                result += value != 0 ? 1 : 0;
                break;
            default:
                result = std::max(result, std::abs(std::int64_t{value}));
        }
    }
    return result;
}

std::vector<Problem> problems_on(std::span<const std::int32_t> values) {
    std::vector<Problem> problems;
    for (int i = 0; i < kSizes; ++i) {
        const auto n = static_cast<std::size_t>(std::exp2(11 + 11.0 * i / (kSizes - 1)));
        for (const ReduceOp op : kOps) {
            const auto part = values.first(n);
            problems.push_back({op, part, right_result(op, part)});
        }
    }
    return problems;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) {
        fmt::print(stderr, "usage: taken_winners CALLS SWAPS SECONDS\n");
        return 2;
    }
    std::mt19937 random(1);
    std::vector<std::int32_t> values(1 << 22);
    for (std::int32_t& value : values) {
        value = random() % 3 == 0 ? 0 : static_cast<std::int32_t>(random());
    }
    const std::vector<Problem> problems = problems_on(values);
    Options options = Options::from_environment();
    options.on_miss = TunePolicy::background;
    options.worker = "/nothing/tunes/here";
    options.log_level = LogLevel::error;
    Session session(options);
    const auto check = [&](const Problem& problem) {
        const std::int64_t got = problem.call(session);
        if (got != problem.right) {
            fmt::print("{} of {}: got {}, expected {}\n", to_string(problem.op),
                       problem.values.size(), got, problem.right);
            std::exit(1);
        }
    };
    for (const Problem& problem : problems) {
        check(problem);
    }
    std::this_thread::sleep_for(std::chrono::seconds(2));
    fmt::print("recorded\n");
    std::fflush(stdout);
    const auto end = Clock::now() + std::chrono::seconds(std::atoi(argv[3]));
    std::int64_t calls = 0;
    while ((calls < std::atoll(argv[1]) || session.counters().replaced < std::atoll(argv[2])) &&
           Clock::now() < end) {
        for (int i = 0; i < 1000; ++i, ++calls) {
            check(problems[random() % problems.size()]);
        }
    }
    fmt::print("{} calls, all right; {} answers replaced, {} tunings in this process\n", calls,
               session.counters().replaced, session.counters().tunings);
    return 0;
}
