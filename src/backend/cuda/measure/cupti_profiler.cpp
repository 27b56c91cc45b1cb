// SPDX-License-Identifier: Apache-2.0
#if __has_include(<cupti_range_profiler.h>)

#include "backend/cuda/measure/cupti_profiler.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "jitune/error.hpp"

// What CUPTI makes and has to be given back, as objects. All of their functions but destructors
// throw Error(unavailable) that names the call, its answer and what to do.

namespace jitune::internal {
namespace {

struct CuptiAdvice {
    CUptiResult result;
    std::string_view text;
};

constexpr std::string_view kElse = "all else works without them";
constexpr std::string_view kOneProfiler =
    "another profiler has them or watches this process: end it and try again";
constexpr std::array kCuptiAdvice{
    CuptiAdvice{CUPTI_ERROR_INSUFFICIENT_PRIVILEGES,
                "this user may not read them: run as root or with CAP_SYS_ADMIN, or have an "
                "administrator load the driver's module with NVreg_RestrictProfilingToAdminUsers=0 "
                "(https://developer.nvidia.com/ERR_NVGPUCTRPERM)"},
    CuptiAdvice{CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES,
                "the host of this virtual machine does not allow it: ask its administrator "
                "(https://developer.nvidia.com/ERR_NVGPUCTRPERM)"},
    CuptiAdvice{CUPTI_ERROR_HARDWARE_BUSY, kOneProfiler},
    CuptiAdvice{CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, kOneProfiler},
};

template <class Params>
void call(const CuptiTable& cupti, CUptiResult (*CuptiTable::*function)(Params*), Params* params) {
    const CUptiResult result = (cupti.*function)(params);
    if (result == CUPTI_SUCCESS) {
        return;
    }
    const char* name = nullptr;
    if (cupti.cuptiGetResultString(result, &name) != CUPTI_SUCCESS || name == nullptr) {
        name = "CUptiResult";
    }
    const auto* const advice =
        std::find_if(kCuptiAdvice.begin(), kCuptiAdvice.end(),
                     [&](const CuptiAdvice& row) { return row.result == result; });
    throw Error(
        ErrorKind::unavailable,
        fmt::format("{}: {} ({}): {}", function_name(cupti, &(cupti.*function)), name,
                    static_cast<int>(result), advice == kCuptiAdvice.end() ? kElse : advice->text));
}

// Every function of CUPTI takes a struct that begins with its size, by which the library knows the
// version of the header.
template <class Params>
Params cupti_params(std::size_t size) {
    Params params{};
    params.structSize = size;
    return params;
}
#define JITUNE_CUPTI_PARAMS(name) cupti_params<name##_Params>(name##_Params_STRUCT_SIZE)

/// CUPTI's hooks in the driver, which slow down each call of the process.
class CuptiSession {
public:
    explicit CuptiSession(const CuptiTable& cupti) : cupti_(cupti) {
        auto params = JITUNE_CUPTI_PARAMS(CUpti_Profiler_Initialize);
        call(cupti_, &CuptiTable::cuptiProfilerInitialize, &params);
    }
    ~CuptiSession() {
        auto params = JITUNE_CUPTI_PARAMS(CUpti_Profiler_DeInitialize);
        cupti_.cuptiProfilerDeInitialize(&params);
    }
    CuptiSession(const CuptiSession&) = delete;
    CuptiSession& operator=(const CuptiSession&) = delete;

private:
    const CuptiTable& cupti_;
};

struct CounterChip {
    std::string name;
    std::vector<std::uint8_t> available;  ///< which counters this process may have, for CUPTI
};

/// Needs a session, and that nothing is enabled in the context.
CounterChip find_chip(const CuptiTable& cupti, CUcontext context, CUdevice device) {
    auto name = JITUNE_CUPTI_PARAMS(CUpti_Device_GetChipName);
    name.deviceIndex = static_cast<std::size_t>(device);
    call(cupti, &CuptiTable::cuptiDeviceGetChipName, &name);
    CounterChip chip{name.pChipName, {}};
    auto image = JITUNE_CUPTI_PARAMS(CUpti_Profiler_GetCounterAvailability);
    image.ctx = context;
    const auto ask = [&] {
        call(cupti, &CuptiTable::cuptiProfilerGetCounterAvailability, &image);
        chip.available.resize(image.counterAvailabilityImageSize);
        image.pCounterAvailabilityImage = chip.available.data();
    };
    ask();  // its size
    ask();
    return chip;
}

/// CUPTI's names of metrics. Not const: its functions take them so.
using MetricNames = std::vector<const char*>;

/// CUPTI's knowledge of the metrics of a chip, which must outlive it.
class MetricHost {
public:
    MetricHost(const CuptiTable& cupti, const CounterChip& chip) : cupti_(cupti) {
        auto params = JITUNE_CUPTI_PARAMS(CUpti_Profiler_Host_Initialize);
        params.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
        params.pChipName = chip.name.c_str();
        params.pCounterAvailabilityImage = chip.available.data();
        call(cupti_, &CuptiTable::cuptiProfilerHostInitialize, &params);
        host_ = params.pHostObject;
    }
    ~MetricHost() {
        auto params = JITUNE_CUPTI_PARAMS(CUpti_Profiler_Host_Deinitialize);
        params.pHostObject = host_;
        cupti_.cuptiProfilerHostDeinitialize(&params);
    }
    MetricHost(const MetricHost&) = delete;
    MetricHost& operator=(const MetricHost&) = delete;

    void add(MetricNames metrics) {
        auto params = JITUNE_CUPTI_PARAMS(CUpti_Profiler_Host_ConfigAddMetrics);
        params.pHostObject = host_;
        params.ppMetricNames = metrics.data();
        params.numMetrics = metrics.size();
        call(cupti_, &CuptiTable::cuptiProfilerHostConfigAddMetrics, &params);
    }

    /// How the metrics that were added are collected, for the device.
    [[nodiscard]] std::vector<std::uint8_t> config() const {
        auto size = JITUNE_CUPTI_PARAMS(CUpti_Profiler_Host_GetConfigImageSize);
        size.pHostObject = host_;
        call(cupti_, &CuptiTable::cuptiProfilerHostGetConfigImageSize, &size);
        std::vector<std::uint8_t> image(size.configImageSize);
        auto params = JITUNE_CUPTI_PARAMS(CUpti_Profiler_Host_GetConfigImage);
        params.pHostObject = host_;
        params.configImageSize = image.size();
        params.pConfigImage = image.data();
        call(cupti_, &CuptiTable::cuptiProfilerHostGetConfigImage, &params);
        return image;
    }

    /// The metrics of one kernel of what was collected.
    [[nodiscard]] std::vector<double> evaluate(const std::vector<std::uint8_t>& data,
                                               std::size_t kernel, MetricNames metrics) const {
        std::vector<double> values(metrics.size());
        auto params = JITUNE_CUPTI_PARAMS(CUpti_Profiler_Host_EvaluateToGpuValues);
        params.pHostObject = host_;
        params.pCounterDataImage = data.data();
        params.counterDataImageSize = data.size();
        params.rangeIndex = kernel;
        params.ppMetricNames = metrics.data();
        params.numMetrics = metrics.size();
        params.pMetricValues = values.data();
        call(cupti_, &CuptiTable::cuptiProfilerHostEvaluateToGpuValues, &params);
        return values;
    }

private:
    const CuptiTable& cupti_;
    CUpti_Profiler_Host_Object* host_ = nullptr;
};

/// Collects metrics of each kernel that the context launches between start() and stop(). CUPTI runs
/// the kernel as often as it must within its launch, and puts memory back in between.
class KernelCollector {
public:
    KernelCollector(const CuptiTable& cupti, CUcontext context) : cupti_(cupti) {
        auto params = JITUNE_CUPTI_PARAMS(CUpti_RangeProfiler_Enable);
        params.ctx = context;
        call(cupti_, &CuptiTable::cuptiRangeProfilerEnable, &params);
        profiler_ = params.pRangeProfilerObject;
    }
    ~KernelCollector() {
        if (started_) {
            auto stop = with_profiler(JITUNE_CUPTI_PARAMS(CUpti_RangeProfiler_Stop));
            cupti_.cuptiRangeProfilerStop(&stop);
        }
        auto disable = with_profiler(JITUNE_CUPTI_PARAMS(CUpti_RangeProfiler_Disable));
        cupti_.cuptiRangeProfilerDisable(&disable);
    }
    KernelCollector(const KernelCollector&) = delete;
    KernelCollector& operator=(const KernelCollector&) = delete;

    /// For so many kernels. `config` is that of the metrics.
    void prepare(std::vector<std::uint8_t> config, MetricNames metrics, std::size_t kernels) {
        config_ = std::move(config);
        make_data(std::move(metrics), kernels);
        auto params = with_profiler(JITUNE_CUPTI_PARAMS(CUpti_RangeProfiler_SetConfig));
        params.pConfig = config_.data();
        params.configSize = config_.size();
        params.pCounterDataImage = data_.data();
        params.counterDataImageSize = data_.size();
        params.range = CUPTI_AutoRange;
        params.replayMode = CUPTI_KernelReplay;
        params.maxRangesPerPass = kernels;
        params.numNestingLevels = 1;
        params.minNestingLevel = 1;
        params.targetNestingLevel = 1;
        call(cupti_, &CuptiTable::cuptiRangeProfilerSetConfig, &params);
    }

    void start() {
        auto params = with_profiler(JITUNE_CUPTI_PARAMS(CUpti_RangeProfiler_Start));
        call(cupti_, &CuptiTable::cuptiRangeProfilerStart, &params);
        started_ = true;
    }

    void stop() {
        auto params = with_profiler(JITUNE_CUPTI_PARAMS(CUpti_RangeProfiler_Stop));
        started_ = false;
        call(cupti_, &CuptiTable::cuptiRangeProfilerStop, &params);
    }

    /// Returns the data that CUPTI collected. Throws if CUPTI counted another number of kernels.
    const std::vector<std::uint8_t>& decode(std::size_t kernels) {
        auto params = with_profiler(JITUNE_CUPTI_PARAMS(CUpti_RangeProfiler_DecodeData));
        call(cupti_, &CuptiTable::cuptiRangeProfilerDecodeData, &params);
        auto info = JITUNE_CUPTI_PARAMS(CUpti_RangeProfiler_GetCounterDataInfo);
        info.pCounterDataImage = data_.data();
        info.counterDataImageSize = data_.size();
        call(cupti_, &CuptiTable::cuptiRangeProfilerGetCounterDataInfo, &info);
        const std::size_t counted = info.numTotalRanges + params.numOfRangeDropped;
        if (counted != kernels) {
            throw Error(ErrorKind::unavailable,
                        fmt::format("CUPTI counted {} kernels in a launch of {}: try again while "
                                    "no other thread launches any",
                                    counted, kernels));
        }
        return data_;
    }

private:
    template <class Params>
    Params with_profiler(Params params) const {
        params.pRangeProfilerObject = profiler_;
        return params;
    }

    void make_data(MetricNames metrics, std::size_t kernels) {
        auto size = with_profiler(JITUNE_CUPTI_PARAMS(CUpti_RangeProfiler_GetCounterDataSize));
        size.pMetricNames = metrics.data();
        size.numMetrics = metrics.size();
        size.maxNumOfRanges = kernels;
        size.maxNumRangeTreeNodes = static_cast<std::uint32_t>(kernels);
        call(cupti_, &CuptiTable::cuptiRangeProfilerGetCounterDataSize, &size);
        data_.resize(size.counterDataSize);
        auto params =
            with_profiler(JITUNE_CUPTI_PARAMS(CUpti_RangeProfiler_CounterDataImage_Initialize));
        params.pCounterData = data_.data();
        params.counterDataSize = data_.size();
        call(cupti_, &CuptiTable::cuptiRangeProfilerCounterDataImageInitialize, &params);
    }

    const CuptiTable& cupti_;
    CUpti_RangeProfiler_Object* profiler_ = nullptr;
    bool started_ = false;
    // CUPTI keeps their addresses.
    std::vector<std::uint8_t> config_, data_;
};

#undef JITUNE_CUPTI_PARAMS

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

}  // namespace

std::vector<CounterValue> read_counters(const CuptiTable& cupti, CUcontext context, CUdevice device,
                                        std::size_t kernels, const std::function<void()>& launch) {
    const CuptiSession session(cupti);
    const CounterChip chip = find_chip(cupti, context, device);
    const std::vector<Counter> counters = known_counters(cupti, chip);
    MetricNames metrics;
    for (const Counter& counter : counters) {
        metrics.push_back(counter.metric);
    }
    MetricHost host(cupti, chip);
    host.add(metrics);  // all at once, so that they share runs of the kernel
    KernelCollector collector(cupti, context);
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

}  // namespace jitune::internal

#endif
