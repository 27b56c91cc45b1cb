// SPDX-License-Identifier: Apache-2.0
#include "copy_bench.hpp"

#include <algorithm>
#include <cstdio>
#include <random>
#include <stdexcept>

#include <fmt/format.h>

namespace {

constexpr int kCalls = 8;    // in one sample
constexpr int kRounds = 25;  // in each of which every lane has one sample
constexpr int kLevels = 1000;

void check(CUresult result, const char* what) {
    if (result != CUDA_SUCCESS) {
        throw std::runtime_error(fmt::format("{} answered {}", what, static_cast<int>(result)));
    }
}

}  // namespace

CopyBench::CopyBench(std::size_t bytes) : driver_(jitune::internal::load_driver()) {
    CUdevice device = 0;
    check(driver_->cuInit(0), "cuInit");
    check(driver_->cuDeviceGet(&device, 0), "cuDeviceGet");
    check(driver_->cuDevicePrimaryCtxRetain(&context_, device), "cuDevicePrimaryCtxRetain");
    check(driver_->cuCtxPushCurrent(context_), "cuCtxPushCurrent");
    check(driver_->cuEventCreate(&begin_, CU_EVENT_DEFAULT), "cuEventCreate");
    check(driver_->cuEventCreate(&end_, CU_EVENT_DEFAULT), "cuEventCreate");
    const std::vector<float> values = noise(bytes / sizeof(float), kLevels);
    const auto from = reinterpret_cast<CUdeviceptr>(upload(values));
    const auto to = reinterpret_cast<CUdeviceptr>(upload(values));
    add("copy", [this, from, to, bytes] {
        check(driver_->cuMemcpyDtoDAsync(to, from, bytes, nullptr), "cuMemcpyDtoDAsync");
    });
}

float* CopyBench::upload(const std::vector<float>& values) const {
    CUdeviceptr memory = 0;
    const std::size_t bytes = values.size() * sizeof(float);
    check(driver_->cuMemAlloc(&memory, bytes), "cuMemAlloc");
    check(driver_->cuMemcpyHtoDAsync(memory, values.data(), bytes, nullptr), "cuMemcpyHtoDAsync");
    check(driver_->cuStreamSynchronize(nullptr), "cuStreamSynchronize");
    return reinterpret_cast<float*>(memory);
}

void CopyBench::add(std::string name, std::function<void()> call) {
    call();
    lanes_.push_back({std::move(name), std::move(call), {}});
}

void CopyBench::run(const std::string& title) {
    for (int round = 0; round < kRounds; ++round) {
        for (Lane& lane : lanes_) {
            lane.samples_ms.push_back(sample(lane.call));
        }
    }
    const double copy = lanes_.front().median();
    fmt::print("{:<28} {:>9} {:>14}\n", title, "ms", "of copy speed");
    for (Lane& lane : lanes_) {
        fmt::print("{:<28} {:>9.4f} {:>12.1f} %\n", lane.name, lane.median(),
                   100 * copy / lane.median());
    }
    std::fflush(stdout);
}

double CopyBench::Lane::median() {
    std::sort(samples_ms.begin(), samples_ms.end());
    return samples_ms[samples_ms.size() / 2];
}

double CopyBench::sample(const std::function<void()>& call) const {
    check(driver_->cuEventRecordWithFlags(begin_, nullptr, CU_EVENT_RECORD_DEFAULT), "record");
    for (int i = 0; i < kCalls; ++i) {
        call();
    }
    check(driver_->cuEventRecordWithFlags(end_, nullptr, CU_EVENT_RECORD_DEFAULT), "record");
    check(driver_->cuStreamSynchronize(nullptr), "cuStreamSynchronize");
    float elapsed = 0;
    check(driver_->cuEventElapsedTime(&elapsed, begin_, end_), "cuEventElapsedTime");
    return static_cast<double>(elapsed) / kCalls;
}

std::vector<float> noise(std::size_t count, int levels) {
    std::mt19937 random(1);
    std::vector<float> values(count);
    for (float& value : values) {
        value = static_cast<float>(random() % static_cast<unsigned>(levels));
    }
    return values;
}
