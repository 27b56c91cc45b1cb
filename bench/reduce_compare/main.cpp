// SPDX-License-Identifier: Apache-2.0
// jitune beside cub::DeviceReduce and cub::DeviceSegmentedReduce, in one run on one GPU: per type,
// operation, size and shape, L2 cold and warm, in a graph chain and from a plain stream. Every
// result of both sides is checked. Problems that are not tuned yet are tuned first.
//
//     reduce_compare --db winners.db --csv results.csv

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>

#include <fmt/format.h>

#include "reduce_compare/arguments.hpp"
#include "reduce_compare/comparison.hpp"
#include "reduce_compare/cub_version.hpp"
#include "reduce_compare/report.hpp"
#include "reduce_compare/slices.hpp"

namespace jitune::bench {

namespace {

constexpr std::size_t kLeastPoolBytes = (std::size_t{4} << 30) + (std::size_t{1} << 24);
constexpr std::size_t kCeilingBytes = std::size_t{4} << 30;
constexpr int kWarmUpReads = 700;  // of about 1 ms: the clocks rise

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

Arena arena_for(const std::vector<Cell>& cells) {
    std::size_t pool_bytes = kLeastPoolBytes;
    std::size_t result_bytes = std::size_t{1} << 20;
    for (const Cell& cell : cells) {
        pool_bytes = std::max(pool_bytes, pool_bytes_for(cell));
        result_bytes = std::max(result_bytes, result_bytes_for(cell));
    }
    return {pool_bytes, result_bytes};
}

std::string device_text(Session& session) {
    for (const DeviceDescription& device : session.devices()) {
        if (device.id == "cuda:0") {
            return fmt::format("{}, driver {}, CUDA {}.{}, CUB {}", device.name, device.driver,
                               CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10, cub_version());
        }
    }
    throw Error(ErrorKind::unavailable, "reduce_compare: jitune finds no CUDA device");
}

Baseline baseline_of(Arena& arena, Session& session, const Comparison& comparison) {
    arena.load(ElementType::int32, values_for(ElementType::int32, ReduceOp::sum));
    for (int i = 0; i < kWarmUpReads; ++i) {
        read_all(arena.pool().data(), kCeilingBytes, arena.stream());
    }
    arena.synchronize();
    const ReadCeiling ceiling = read_ceiling(arena.pool().data(), kCeilingBytes, arena.stream());
    return {device_text(session), ceiling, comparison.noise_floor()};
}

std::string head_text(const Baseline& baseline) {
    return fmt::format(
        "{}\nread ceiling {:.0f} GB/s ({})\nthe same measured twice differs by up to {:.2f}% "
        "(chain), {:.2f}% (stream)\n\n",
        baseline.device, baseline.ceiling.gbps, baseline.ceiling.how, baseline.floor.chain * 100,
        baseline.floor.stream * 100);
}

void print(const std::string& text) {
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
}

/// Measures cell after cell and reports each as it is done.
class Run {
public:
    Run(const Arguments& arguments, const Baseline& baseline)
        : arguments_(arguments), baseline_(baseline) {
        if (!arguments.csv.empty()) {
            csv_.open(arguments.csv);
            if (!csv_) {
                throw Error(ErrorKind::usage, "--csv: cannot write " + arguments.csv);
            }
            csv_ << csv_head();
        }
    }

    void measure(const Comparison& comparison, const Cell& cell) {
        try {
            for (Result& result : comparison.measure(cell)) {
                if (!arguments_.json) {
                    print(table_line(result, baseline_));
                }
                csv_ << csv_lines(result, baseline_) << std::flush;
                results_.push_back(std::move(result));
            }
        } catch (const Error& error) {
            failed_ = true;
            cudaGetLastError();  // which the next cell would take for its own
            std::fprintf(stderr, "%s: %s\n", text(cell).c_str(), error.what());
        }
    }

    /// Whether everything was measured and right.
    [[nodiscard]] bool finish() const {
        print(arguments_.json ? json_text(results_, baseline_) : verdict(results_, baseline_));
        return !failed_ && std::all_of(results_.begin(), results_.end(),
                                       [](const Result& result) { return result.right(); });
    }

private:
    const Arguments& arguments_;
    const Baseline& baseline_;
    std::ofstream csv_;
    std::vector<Result> results_;
    bool failed_ = false;
};

int compare(const Arguments& arguments) {
    const auto begin = Clock::now();
    cuda_call(cudaSetDevice(0), "cudaSetDevice");
    Session session(arguments.options);
    const std::vector<Cell> cells = selected_cells(arguments.request);
    Arena arena = arena_for(cells);
    const Comparison comparison(arena, session, arguments.samples);
    const Baseline baseline = baseline_of(arena, session, comparison);
    Run run(arguments, baseline);
    if (!arguments.json) {
        print(head_text(baseline) + table_head());
    }
    std::size_t left_out = 0;
    for (const Cell& cell : cells) {
        if (arguments.deadline_s > 0 && seconds_since(begin) > arguments.deadline_s) {
            ++left_out;
            continue;
        }
        run.measure(comparison, cell);
    }
    const bool right = run.finish();
    const Counters counters = session.counters();
    std::fprintf(stderr, "%.1f s, %lld problems tuned, %lld winners loaded, %zu cells left out\n",
                 seconds_since(begin), static_cast<long long>(counters.tunings),
                 static_cast<long long>(counters.loads), left_out);
    return right ? 0 : 1;
}

}  // namespace

}  // namespace jitune::bench

int main(int argc, char** argv) {
    try {
        int exit_code = 0;
        const auto arguments = jitune::bench::parse_arguments(argc, argv, exit_code);
        return arguments ? jitune::bench::compare(*arguments) : exit_code;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "reduce_compare: %s\n", error.what());
        return 2;
    }
}
