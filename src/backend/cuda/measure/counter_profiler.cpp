// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/measure/counter_profiler.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <string_view>

#include <fmt/format.h>

#include "jitune/error.hpp"

#if __has_include(<cupti_range_profiler.h>)
#include "backend/cuda/measure/cupti_profiler.hpp"
#endif

namespace jitune::internal {
namespace {

#if __has_include(<cupti_range_profiler.h>)

struct Counter {
    std::string_view name;
    const char* metric;  ///< CUPTI's name
    const char* unit;
    bool adds;  ///< over the kernels of a launch; else the mean over their time is taken
};

constexpr std::string_view kDuration = "duration";
constexpr std::array kCounters{
    Counter{kDuration, "gpu__time_duration.sum", "ns", true},
    Counter{"dram_throughput", "dram__throughput.avg.pct_of_peak_sustained_elapsed", "%", false},
    Counter{"l2_throughput", "lts__throughput.avg.pct_of_peak_sustained_elapsed", "%", false},
    Counter{"sm_throughput", "sm__throughput.avg.pct_of_peak_sustained_elapsed", "%", false},
    Counter{"occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active", "%", false},
    Counter{"l2_hit_rate", "lts__t_sector_hit_rate.pct", "%", false},
    Counter{"dram_read", "dram__bytes_read.sum", "bytes", true},
    Counter{"dram_write", "dram__bytes_write.sum", "bytes", true},
#define JITUNE_STALL(reason)                                                                 \
    Counter{"stall_" #reason,                                                                \
            "smsp__average_warps_issue_stalled_" #reason "_per_issue_active.ratio", "warps", \
            false}
    JITUNE_STALL(long_scoreboard),
    JITUNE_STALL(short_scoreboard),
    JITUNE_STALL(barrier),
    JITUNE_STALL(wait),
    JITUNE_STALL(math_pipe_throttle),
    JITUNE_STALL(lg_throttle),
    JITUNE_STALL(mio_throttle),
    JITUNE_STALL(no_instruction),
#undef JITUNE_STALL
};

/// Returns the counters that CUPTI can read on this chip.
std::vector<Counter> known_counters(const CuptiTable& cupti, const CounterChip& chip) {
    std::vector<Counter> known;
    std::exception_ptr refused;
    MetricHost host(cupti, chip);
    for (const Counter& counter : kCounters) {
        try {
            host.add({counter.metric});
            known.push_back(counter);
        } catch (const Error&) {
            refused = std::current_exception();
        }
    }
    if (known.empty()) {
        std::rethrow_exception(refused);
    }
    return known;
}

/// Combines the counters of a launch's kernels into those of the launch. Leaves out a counter
/// without a number, such as the hit rate of a cache that no kernel uses.
std::vector<CounterValue> of_launch(const std::vector<Counter>& counters,
                                    const std::vector<std::vector<double>>& kernels) {
    const auto duration =
        std::find_if(counters.begin(), counters.end(),
                     [](const Counter& counter) { return counter.name == kDuration; });
    std::vector<CounterValue> values;
    for (std::size_t i = 0; i < counters.size(); ++i) {
        double sum = 0;
        double weights = 0;
        for (const std::vector<double>& kernel : kernels) {
            const bool timed = !counters[i].adds && duration != counters.end();
            const double weight =
                timed ? kernel[static_cast<std::size_t>(duration - counters.begin())] : 1;
            sum += weight * kernel[i];
            weights += weight;
        }
        const double value = counters[i].adds ? sum : sum / weights;
        if (std::isfinite(value)) {
            values.push_back({std::string(counters[i].name), value, counters[i].unit});
        }
    }
    return values;
}

std::vector<CounterValue> profile(const std::shared_ptr<const CuptiTable>& cupti, CUcontext context,
                                  CUdevice device, std::size_t kernels,
                                  const std::function<void()>& launch) {
    const CuptiSession session(*cupti);
    const CounterChip chip = find_chip(*cupti, context, device);
    const std::vector<Counter> counters = known_counters(*cupti, chip);
    MetricNames metrics;
    for (const Counter& counter : counters) {
        metrics.push_back(counter.metric);
    }
    MetricHost host(*cupti, chip);
    host.add(metrics);  // all at once, so that they share runs of the kernel
    KernelCollector collector(*cupti, context);
    collector.prepare(host.config(), metrics, kernels);
    collector.start();
    launch();
    collector.stop();
    const std::vector<std::uint8_t>& data = collector.decode(kernels);
    std::vector<std::vector<double>> values;
    for (std::size_t i = 0; i < kernels; ++i) {
        values.push_back(host.evaluate(data, i, metrics));
    }
    return of_launch(counters, values);
}

#else

std::vector<CounterValue> profile(const std::shared_ptr<const CuptiTable>& /*cupti*/,
                                  CUcontext /*context*/, CUdevice /*device*/,
                                  std::size_t /*kernels*/,
                                  const std::function<void()>& /*launch*/) {
    throw Error(ErrorKind::unavailable,
                "this jitune is built without CUPTI: build it where CUDA 12.6 or later has its "
                "header cupti_range_profiler.h");
}

#endif

}  // namespace

CounterOutcome CounterProfiler::read(CUcontext context, CUdevice device, std::size_t kernels,
                                     const std::function<void()>& launch) {
    const std::lock_guard lock(mutex_);
    try {
        if (!cupti_) {
            cupti_ = loader_();
        }
        return profile(cupti_, context, device, kernels, launch);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::unavailable) {
            throw;
        }
        return error.what();
    }
}

}  // namespace jitune::internal
