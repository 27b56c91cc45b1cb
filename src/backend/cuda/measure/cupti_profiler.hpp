// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "backend/cuda/measure/cupti_functions.hpp"

// What CUPTI makes and has to be given back, as objects. All of their functions but destructors
// throw Error(unavailable) that names the call, its answer and what to do.

namespace jitune::internal {

/// CUPTI's hooks in the driver, which slow down each call of the process.
class CuptiSession {
public:
    explicit CuptiSession(const CuptiTable& cupti);
    ~CuptiSession();
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
CounterChip find_chip(const CuptiTable& cupti, CUcontext context, CUdevice device);

/// CUPTI's names of metrics. Not const: its functions take them so.
using MetricNames = std::vector<const char*>;

/// CUPTI's knowledge of the metrics of a chip, which must outlive it.
class MetricHost {
public:
    MetricHost(const CuptiTable& cupti, const CounterChip& chip);
    ~MetricHost();
    MetricHost(const MetricHost&) = delete;
    MetricHost& operator=(const MetricHost&) = delete;

    void add(MetricNames metrics);

    /// How the metrics that were added are collected, for the device.
    [[nodiscard]] std::vector<std::uint8_t> config() const;

    /// The metrics of one kernel of what was collected.
    [[nodiscard]] std::vector<double> evaluate(const std::vector<std::uint8_t>& data,
                                               std::size_t kernel, MetricNames metrics) const;

private:
    const CuptiTable& cupti_;
    CUpti_Profiler_Host_Object* host_ = nullptr;
};

/// Collects metrics of each kernel that the context launches between start() and stop(). CUPTI runs
/// the kernel as often as it must within its launch, and puts memory back in between.
class KernelCollector {
public:
    KernelCollector(const CuptiTable& cupti, CUcontext context);
    ~KernelCollector();
    KernelCollector(const KernelCollector&) = delete;
    KernelCollector& operator=(const KernelCollector&) = delete;

    /// For so many kernels. `config` is that of the metrics.
    void prepare(std::vector<std::uint8_t> config, MetricNames metrics, std::size_t kernels);
    void start();
    void stop();
    /// Returns the data that CUPTI collected. Throws if CUPTI counted another number of kernels.
    const std::vector<std::uint8_t>& decode(std::size_t kernels);

private:
    template <class Params>
    Params with_profiler(Params params) const;
    void make_data(MetricNames metrics, std::size_t kernels);

    const CuptiTable& cupti_;
    CUpti_RangeProfiler_Object* profiler_ = nullptr;
    bool started_ = false;
    // CUPTI keeps their addresses.
    std::vector<std::uint8_t> config_, data_;
};

}  // namespace jitune::internal
