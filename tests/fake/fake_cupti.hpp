// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>

#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "backend/cuda/measure/counter_profiler.hpp"

namespace jitune::internal {

using FakeMetrics = std::set<std::string>;  ///< those that were added to a host object

/// What the fake CUPTI, functions without state of their own, knows and has seen.
struct FakeCupti {
    int loads = 0;
    std::multiset<std::string> alive;  ///< what has not been given back
    std::set<FakeMetrics*> hosts;
    std::vector<std::string> misuse;

    int calls = 0;
    int failing_call = 0;  ///< from 1
    std::string failing;   ///< the function that fails; of failing_call, once it did
    int answer = 999;      ///< a CUptiResult: CUPTI_ERROR_UNKNOWN

    FakeMetrics unknown;                                ///< "*": all are
    std::map<std::string, std::vector<double>> values;  ///< of metrics, by kernel; else 1
    std::size_t kernels = 0;                            ///< launched since the start
    std::size_t room = 0;
    CUcontext context = nullptr;
};

FakeCupti& fake_cupti();

/// Only where CUPTI's headers are.
std::shared_ptr<const CuptiTable> load_fake_cupti();

}  // namespace jitune::internal
