// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backend/cuda/driver/driver_table.hpp"

/// Times kernels beside a copy of the same bytes from device memory to device memory, which nothing
/// that reads and writes them can beat. On the first device's primary context and default stream.
class CopyBench {
public:
    /// The copy is of `bytes` bytes of noise.
    explicit CopyBench(std::size_t bytes);
    CopyBench(const CopyBench&) = delete;
    CopyBench& operator=(const CopyBench&) = delete;

    /// A copy in device memory, which is never freed: the process ends with it.
    [[nodiscard]] float* upload(const std::vector<float>& values) const;

    /// Something to time: `call` enqueues it once. Calls it, which tunes, loads and warms up.
    void add(std::string name, std::function<void()> call);

    /// Samples of several calls, all lanes in turn; prints the medians as a table.
    void run(const std::string& title);

private:
    struct Lane {
        std::string name;
        std::function<void()> call;
        std::vector<double> samples_ms;

        [[nodiscard]] double median();
    };

    /// Milliseconds of one call.
    [[nodiscard]] double sample(const std::function<void()>& call) const;

    std::shared_ptr<const jitune::internal::DriverTable> driver_;
    CUcontext context_ = nullptr;
    CUevent begin_ = nullptr, end_ = nullptr;
    std::vector<Lane> lanes_;
};

/// Floats that hold 0 to `levels` - 1 at random.
std::vector<float> noise(std::size_t count, int levels);
