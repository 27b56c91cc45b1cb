// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "backend/cuda/driver/driver_table.hpp"
#include "backend/platform.hpp"

namespace jitune::internal {

/// Kernels that every subject runs, by their name expressions: "twice" doubles n floats, "count"
/// adds 1 to an int32 in each thread. Both take a pointer and an uint64.
inline constexpr const char* kConformanceKernels = R"(
__global__ void twice(float* values, unsigned long long n) {
    const unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] *= 2;
}
__global__ void count(int* counter, unsigned long long) { atomicAdd(counter, 1); }
)";

/// A CUDA driver with NVRTC, under the library and under an app: the fake one, or that of a GPU.
/// The conformance tests expect the same of both, so that the fake cannot drift away.
class CudaSubject {
public:
    virtual ~CudaSubject() = default;

    /// A platform over the driver. It has no device where tests cannot run, and says why.
    virtual std::unique_ptr<Platform> make_platform() = 0;
    /// The driver's functions, for calls that an app would make. Only where there is a device.
    virtual const DriverTable& driver() = 0;

    /// A blocking stream of the calling thread's current context.
    virtual CUstream make_stream() = 0;
    virtual void begin_capture(CUstream stream, CUstreamCaptureMode mode) = 0;
    /// Ends a capture and runs the captured work once. False where the capture had been broken.
    virtual bool end_capture_and_run(CUstream stream) = 0;

    /// Destroys the streams of make_stream().
    virtual void end_streams() = 0;
    /// The library's misuses and leaks, as far as the driver can tell.
    virtual std::vector<std::string> complaints() = 0;
};

using MakeSubject = std::unique_ptr<CudaSubject> (*)();

/// A platform over a subject, and an app whose context is current.
class CudaConformance : public testing::TestWithParam<MakeSubject> {
protected:
    void SetUp() override;
    void TearDown() override;

    Device& device() { return platform_->device(0); }
    std::shared_ptr<const Program> load(const std::string& expression);
    CompileOutcome compile(const std::string& expression);

    /// `blocks` blocks of `threads` threads of a kernel that takes `memory` and `number`.
    static Launch launch_on(const DeviceMemory& memory, std::uint64_t number,
                            std::uint32_t blocks = 1, std::uint32_t threads = 64);

    template <class T>
    T read(const void* address, CUstream stream = nullptr) {
        T value{};
        device().read_back(std::as_writable_bytes(std::span(&value, 1)), address, stream);
        return value;
    }

    std::unique_ptr<CudaSubject> subject_ = GetParam()();
    std::unique_ptr<Platform> platform_ = subject_->make_platform();
    CUcontext context_ = nullptr;
};

}  // namespace jitune::internal
