// SPDX-License-Identifier: Apache-2.0
#include "fake/fake_cupti.hpp"

#include <algorithm>
#include <stdexcept>

#if __has_include(<cupti_range_profiler.h>)
#include "backend/cuda/measure/cupti_profiler.hpp"
#endif

namespace jitune::internal {

FakeCupti& fake_cupti() {
    static FakeCupti state;
    return state;
}

#if __has_include(<cupti_range_profiler.h>)

namespace {

FakeCupti& cupti = fake_cupti();

/// Counts a call and says how it fails.
CUptiResult enter_cupti(const char* function, const char* needs = nullptr) {
    if (needs != nullptr && cupti.alive.count(needs) == 0) {
        cupti.misuse.push_back(std::string(function) + " without " + needs);
    }
    if (++cupti.calls == cupti.failing_call) {
        cupti.failing = function;
    }
    return cupti.failing == function &&
                   (cupti.failing_call == 0 || cupti.calls == cupti.failing_call)
               ? static_cast<CUptiResult>(cupti.answer)
               : CUPTI_SUCCESS;
}

CUptiResult make_cupti(const char* function, const char* needs, const char* made) {
    const CUptiResult result = enter_cupti(function, needs);
    if (result == CUPTI_SUCCESS) {
        cupti.alive.insert(made);
    }
    return result;
}

CUptiResult give_back_cupti(const char* function, const char* made) {
    const CUptiResult result = enter_cupti(function, made);
    if (const auto found = cupti.alive.find(made); found != cupti.alive.end()) {
        cupti.alive.erase(found);
    }
    return result;
}

FakeMetrics& metrics_of(CUpti_Profiler_Host_Object* host) {
    auto* const metrics = reinterpret_cast<FakeMetrics*>(host);
    if (cupti.hosts.count(metrics) == 0) {
        throw std::logic_error("no such host object");
    }
    return *metrics;
}

template <class Params>
CUptiResult enter_range(const char* function, const Params* params) {
    if (reinterpret_cast<FakeCupti*>(params->pRangeProfilerObject) != &cupti) {
        cupti.misuse.push_back(std::string(function) + " of another profiler");
    }
    return enter_cupti(function, "profiler");
}

void add_host_functions(CuptiTable& table) {
    table.cuptiProfilerHostInitialize = [](CUpti_Profiler_Host_Initialize_Params* params) {
        const bool right = params->profilerType == CUPTI_PROFILER_TYPE_RANGE_PROFILER &&
                           std::string(params->pChipName) == "GH100" &&
                           params->pCounterAvailabilityImage != nullptr &&
                           params->pCounterAvailabilityImage[2] == 7;
        if (!right) {
            cupti.misuse.emplace_back("host object of another chip");
        }
        const CUptiResult result = make_cupti("cuptiProfilerHostInitialize", "session", "host");
        if (result == CUPTI_SUCCESS) {
            auto* const made = *cupti.hosts.insert(new FakeMetrics).first;
            params->pHostObject = reinterpret_cast<CUpti_Profiler_Host_Object*>(made);
        }
        return result;
    };
    table.cuptiProfilerHostDeinitialize = [](CUpti_Profiler_Host_Deinitialize_Params* params) {
        FakeMetrics* const metrics = &metrics_of(params->pHostObject);
        cupti.hosts.erase(metrics);
        delete metrics;
        return give_back_cupti("cuptiProfilerHostDeinitialize", "host");
    };
    table.cuptiProfilerHostConfigAddMetrics =
        [](CUpti_Profiler_Host_ConfigAddMetrics_Params* params) {
            FakeMetrics& metrics = metrics_of(params->pHostObject);
            const CUptiResult result = enter_cupti("cuptiProfilerHostConfigAddMetrics", "host");
            for (std::size_t i = 0; i < params->numMetrics; ++i) {
                if (cupti.unknown.count(params->ppMetricNames[i]) + cupti.unknown.count("*") != 0) {
                    return CUPTI_ERROR_INVALID_METRIC_NAME;
                }
                metrics.insert(params->ppMetricNames[i]);
            }
            return result;
        };
    table.cuptiProfilerHostGetConfigImageSize =
        [](CUpti_Profiler_Host_GetConfigImageSize_Params* params) {
            params->configImageSize = metrics_of(params->pHostObject).size();
            return enter_cupti("cuptiProfilerHostGetConfigImageSize", "host");
        };
    table.cuptiProfilerHostGetConfigImage = [](CUpti_Profiler_Host_GetConfigImage_Params* params) {
        std::fill_n(params->pConfigImage, params->configImageSize, std::uint8_t{3});
        return enter_cupti("cuptiProfilerHostGetConfigImage", "host");
    };
    table.cuptiProfilerHostEvaluateToGpuValues =
        [](CUpti_Profiler_Host_EvaluateToGpuValues_Params* params) {
            const FakeMetrics& metrics = metrics_of(params->pHostObject);
            for (std::size_t i = 0; i < params->numMetrics; ++i) {
                const std::string name = params->ppMetricNames[i];
                if (metrics.count(name) == 0 || params->pCounterDataImage[0] != 9) {
                    cupti.misuse.push_back(name + " was not collected");
                }
                const auto known = cupti.values.find(name);
                params->pMetricValues[i] =
                    known == cupti.values.end() ? 1 : known->second.at(params->rangeIndex);
            }
            return enter_cupti("cuptiProfilerHostEvaluateToGpuValues", "host");
        };
}

void add_range_functions(CuptiTable& table) {
    table.cuptiRangeProfilerEnable = [](CUpti_RangeProfiler_Enable_Params* params) {
        cupti.context = params->ctx;
        params->pRangeProfilerObject = reinterpret_cast<CUpti_RangeProfiler_Object*>(&cupti);
        return make_cupti("cuptiRangeProfilerEnable", "session", "profiler");
    };
    table.cuptiRangeProfilerDisable = [](CUpti_RangeProfiler_Disable_Params*) {
        return give_back_cupti("cuptiRangeProfilerDisable", "profiler");
    };
    table.cuptiRangeProfilerGetCounterDataSize =
        [](CUpti_RangeProfiler_GetCounterDataSize_Params* params) {
            cupti.room = params->maxNumOfRanges;
            params->counterDataSize = 8 * params->numMetrics;
            return enter_range("cuptiRangeProfilerGetCounterDataSize", params);
        };
    table.cuptiRangeProfilerCounterDataImageInitialize =
        [](CUpti_RangeProfiler_CounterDataImage_Initialize_Params* params) {
            std::fill_n(params->pCounterData, params->counterDataSize, std::uint8_t{8});
            return enter_range("cuptiRangeProfilerCounterDataImageInitialize", params);
        };
    table.cuptiRangeProfilerSetConfig = [](CUpti_RangeProfiler_SetConfig_Params* params) {
        const bool right = params->range == CUPTI_AutoRange &&
                           params->replayMode == CUPTI_KernelReplay &&
                           params->maxRangesPerPass == cupti.room && params->configSize > 0 &&
                           params->pConfig[0] == 3 && params->pCounterDataImage[0] == 8;
        if (!right) {
            cupti.misuse.emplace_back("another configuration");
        }
        params->pCounterDataImage[0] = 9;
        return enter_range("cuptiRangeProfilerSetConfig", params);
    };
    table.cuptiRangeProfilerStart = [](CUpti_RangeProfiler_Start_Params* params) {
        const CUptiResult result = enter_range("cuptiRangeProfilerStart", params);
        if (result == CUPTI_SUCCESS) {
            cupti.alive.insert("start");
            cupti.kernels = 0;
        }
        return result;
    };
    table.cuptiRangeProfilerStop = [](CUpti_RangeProfiler_Stop_Params*) {
        return give_back_cupti("cuptiRangeProfilerStop", "start");
    };
    table.cuptiRangeProfilerDecodeData = [](CUpti_RangeProfiler_DecodeData_Params* params) {
        params->numOfRangeDropped = cupti.kernels - std::min(cupti.kernels, cupti.room);
        return enter_range("cuptiRangeProfilerDecodeData", params);
    };
    table.cuptiRangeProfilerGetCounterDataInfo =
        [](CUpti_RangeProfiler_GetCounterDataInfo_Params* params) {
            params->numTotalRanges = std::min(cupti.kernels, cupti.room);
            return enter_cupti("cuptiRangeProfilerGetCounterDataInfo");
        };
}

}  // namespace

std::shared_ptr<const CuptiTable> load_fake_cupti() {
    ++cupti.loads;
    auto table = std::make_shared<CuptiTable>();
    table->cuptiGetResultString = [](CUptiResult result, const char** text) {
        *text = result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES
                    ? "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"
                    : "CUPTI_ERROR_UNKNOWN";
        return CUPTI_SUCCESS;
    };
    table->cuptiProfilerInitialize = [](CUpti_Profiler_Initialize_Params*) {
        if (cupti.alive.count("session") != 0) {
            cupti.misuse.emplace_back("two sessions at a time");
        }
        return make_cupti("cuptiProfilerInitialize", nullptr, "session");
    };
    table->cuptiProfilerDeInitialize = [](CUpti_Profiler_DeInitialize_Params*) {
        return give_back_cupti("cuptiProfilerDeInitialize", "session");
    };
    table->cuptiDeviceGetChipName = [](CUpti_Device_GetChipName_Params* params) {
        params->pChipName = params->deviceIndex == 0 ? "GH100" : "another chip";
        return enter_cupti("cuptiDeviceGetChipName", "session");
    };
    table->cuptiProfilerGetCounterAvailability =
        [](CUpti_Profiler_GetCounterAvailability_Params* params) {
            params->counterAvailabilityImageSize = 3;
            if (params->pCounterAvailabilityImage != nullptr) {
                params->pCounterAvailabilityImage[2] = 7;
            }
            return enter_cupti("cuptiProfilerGetCounterAvailability", "session");
        };
    add_host_functions(*table);
    add_range_functions(*table);
    return table;
}

#endif

}  // namespace jitune::internal
