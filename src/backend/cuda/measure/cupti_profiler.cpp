// SPDX-License-Identifier: Apache-2.0
#if __has_include(<cupti_range_profiler.h>)

#include "backend/cuda/measure/cupti_profiler.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "jitune/error.hpp"

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

void check_cupti(const CuptiTable& cupti, CUptiResult result, std::string_view call) {
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
    throw Error(ErrorKind::unavailable,
                fmt::format("{}: {} ({}): {}", call, name, static_cast<int>(result),
                            advice == kCuptiAdvice.end() ? kElse : advice->text));
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

}  // namespace

CuptiSession::CuptiSession(const CuptiTable& cupti) : cupti_(cupti) {
    auto params = JITUNE_CUPTI_PARAMS(CUpti_Profiler_Initialize);
    check_cupti(cupti_, cupti_.cuptiProfilerInitialize(&params), "cuptiProfilerInitialize");
}

CuptiSession::~CuptiSession() {
    auto params = JITUNE_CUPTI_PARAMS(CUpti_Profiler_DeInitialize);
    cupti_.cuptiProfilerDeInitialize(&params);
}

CounterChip find_chip(const CuptiTable& cupti, CUcontext context, CUdevice device) {
    auto name = JITUNE_CUPTI_PARAMS(CUpti_Device_GetChipName);
    name.deviceIndex = static_cast<std::size_t>(device);
    check_cupti(cupti, cupti.cuptiDeviceGetChipName(&name), "cuptiDeviceGetChipName");
    CounterChip chip{name.pChipName, {}};
    auto image = JITUNE_CUPTI_PARAMS(CUpti_Profiler_GetCounterAvailability);
    image.ctx = context;
    const auto ask = [&] {
        check_cupti(cupti, cupti.cuptiProfilerGetCounterAvailability(&image),
                    "cuptiProfilerGetCounterAvailability");
        chip.available.resize(image.counterAvailabilityImageSize);
        image.pCounterAvailabilityImage = chip.available.data();
    };
    ask();  // its size
    ask();
    return chip;
}

MetricHost::MetricHost(const CuptiTable& cupti, const CounterChip& chip) : cupti_(cupti) {
    auto params = JITUNE_CUPTI_PARAMS(CUpti_Profiler_Host_Initialize);
    params.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
    params.pChipName = chip.name.c_str();
    params.pCounterAvailabilityImage = chip.available.data();
    check_cupti(cupti_, cupti_.cuptiProfilerHostInitialize(&params), "cuptiProfilerHostInitialize");
    host_ = params.pHostObject;
}

MetricHost::~MetricHost() {
    auto params = JITUNE_CUPTI_PARAMS(CUpti_Profiler_Host_Deinitialize);
    params.pHostObject = host_;
    cupti_.cuptiProfilerHostDeinitialize(&params);
}

void MetricHost::add(MetricNames metrics) {
    auto params = JITUNE_CUPTI_PARAMS(CUpti_Profiler_Host_ConfigAddMetrics);
    params.pHostObject = host_;
    params.ppMetricNames = metrics.data();
    params.numMetrics = metrics.size();
    check_cupti(cupti_, cupti_.cuptiProfilerHostConfigAddMetrics(&params),
                "cuptiProfilerHostConfigAddMetrics");
}

std::vector<std::uint8_t> MetricHost::config() const {
    auto size = JITUNE_CUPTI_PARAMS(CUpti_Profiler_Host_GetConfigImageSize);
    size.pHostObject = host_;
    check_cupti(cupti_, cupti_.cuptiProfilerHostGetConfigImageSize(&size),
                "cuptiProfilerHostGetConfigImageSize");
    std::vector<std::uint8_t> image(size.configImageSize);
    auto params = JITUNE_CUPTI_PARAMS(CUpti_Profiler_Host_GetConfigImage);
    params.pHostObject = host_;
    params.configImageSize = image.size();
    params.pConfigImage = image.data();
    check_cupti(cupti_, cupti_.cuptiProfilerHostGetConfigImage(&params),
                "cuptiProfilerHostGetConfigImage");
    return image;
}

std::vector<double> MetricHost::evaluate(const std::vector<std::uint8_t>& data, std::size_t kernel,
                                         MetricNames metrics) const {
    std::vector<double> values(metrics.size());
    auto params = JITUNE_CUPTI_PARAMS(CUpti_Profiler_Host_EvaluateToGpuValues);
    params.pHostObject = host_;
    params.pCounterDataImage = data.data();
    params.counterDataImageSize = data.size();
    params.rangeIndex = kernel;
    params.ppMetricNames = metrics.data();
    params.numMetrics = metrics.size();
    params.pMetricValues = values.data();
    check_cupti(cupti_, cupti_.cuptiProfilerHostEvaluateToGpuValues(&params),
                "cuptiProfilerHostEvaluateToGpuValues");
    return values;
}

template <class Params>
Params KernelCollector::with_profiler(Params params) const {
    params.pRangeProfilerObject = profiler_;
    return params;
}

KernelCollector::KernelCollector(const CuptiTable& cupti, CUcontext context) : cupti_(cupti) {
    auto params = JITUNE_CUPTI_PARAMS(CUpti_RangeProfiler_Enable);
    params.ctx = context;
    check_cupti(cupti_, cupti_.cuptiRangeProfilerEnable(&params), "cuptiRangeProfilerEnable");
    profiler_ = params.pRangeProfilerObject;
}

KernelCollector::~KernelCollector() {
    if (started_) {
        auto stop = with_profiler(JITUNE_CUPTI_PARAMS(CUpti_RangeProfiler_Stop));
        cupti_.cuptiRangeProfilerStop(&stop);
    }
    auto disable = with_profiler(JITUNE_CUPTI_PARAMS(CUpti_RangeProfiler_Disable));
    cupti_.cuptiRangeProfilerDisable(&disable);
}

void KernelCollector::prepare(std::vector<std::uint8_t> config, MetricNames metrics,
                              std::size_t kernels) {
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
    check_cupti(cupti_, cupti_.cuptiRangeProfilerSetConfig(&params), "cuptiRangeProfilerSetConfig");
}

void KernelCollector::start() {
    auto params = with_profiler(JITUNE_CUPTI_PARAMS(CUpti_RangeProfiler_Start));
    check_cupti(cupti_, cupti_.cuptiRangeProfilerStart(&params), "cuptiRangeProfilerStart");
    started_ = true;
}

void KernelCollector::stop() {
    auto params = with_profiler(JITUNE_CUPTI_PARAMS(CUpti_RangeProfiler_Stop));
    started_ = false;
    check_cupti(cupti_, cupti_.cuptiRangeProfilerStop(&params), "cuptiRangeProfilerStop");
}

const std::vector<std::uint8_t>& KernelCollector::decode(std::size_t kernels) {
    auto params = with_profiler(JITUNE_CUPTI_PARAMS(CUpti_RangeProfiler_DecodeData));
    check_cupti(cupti_, cupti_.cuptiRangeProfilerDecodeData(&params),
                "cuptiRangeProfilerDecodeData");
    auto info = JITUNE_CUPTI_PARAMS(CUpti_RangeProfiler_GetCounterDataInfo);
    info.pCounterDataImage = data_.data();
    info.counterDataImageSize = data_.size();
    check_cupti(cupti_, cupti_.cuptiRangeProfilerGetCounterDataInfo(&info),
                "cuptiRangeProfilerGetCounterDataInfo");
    const std::size_t counted = info.numTotalRanges + params.numOfRangeDropped;
    if (counted != kernels) {
        throw Error(ErrorKind::unavailable,
                    fmt::format("CUPTI counted {} kernels in a launch of {}: try again while "
                                "no other thread launches any",
                                counted, kernels));
    }
    return data_;
}

void KernelCollector::make_data(MetricNames metrics, std::size_t kernels) {
    auto size = with_profiler(JITUNE_CUPTI_PARAMS(CUpti_RangeProfiler_GetCounterDataSize));
    size.pMetricNames = metrics.data();
    size.numMetrics = metrics.size();
    size.maxNumOfRanges = kernels;
    size.maxNumRangeTreeNodes = static_cast<std::uint32_t>(kernels);
    check_cupti(cupti_, cupti_.cuptiRangeProfilerGetCounterDataSize(&size),
                "cuptiRangeProfilerGetCounterDataSize");
    data_.resize(size.counterDataSize);
    auto params =
        with_profiler(JITUNE_CUPTI_PARAMS(CUpti_RangeProfiler_CounterDataImage_Initialize));
    params.pCounterData = data_.data();
    params.counterDataSize = data_.size();
    check_cupti(cupti_, cupti_.cuptiRangeProfilerCounterDataImageInitialize(&params),
                "cuptiRangeProfilerCounterDataImageInitialize");
}

#undef JITUNE_CUPTI_PARAMS

}  // namespace jitune::internal

#endif
