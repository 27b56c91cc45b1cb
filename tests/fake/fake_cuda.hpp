// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/cuda/driver/cuda_platform.hpp"
#include "backend/launch.hpp"
#include "fake/fake_order.hpp"

namespace jitune::internal {

/// A kernel launch that reached the fake device.
struct FakeLaunch {
    std::string expression;  ///< the name expression that the kernel was compiled from
    Extent grid, block;
    std::uint32_t shared_bytes = 0;
    std::uint32_t cluster = 0;  ///< blocks along x; 0: none were asked for
    bool programmatic = false;
    bool cooperative = false;
    std::vector<std::uint64_t> arguments;  ///< raw cells; pointers are host pointers
    CUstream stream = nullptr;
    unsigned long long stream_id = 0;
    int device = 0;
    double nanoseconds = 1000;  ///< how long it takes on the device's clock; the hook may change it
};

/// A texture object that exists.
struct FakeTexture {
    CUtexObject handle = 0;
    CUDA_RESOURCE_DESC resource{};
    CUDA_TEXTURE_DESC texture{};
    CUcontext context = nullptr;
};

/// One device as the fake describes it. An H200 unless changed before the platform is asked for it.
struct FakeGpu {
    std::string name;
    std::map<CUdevice_attribute, int> attributes;
    std::size_t memory_bytes = std::size_t{1} << 30U;
};

/// A CUDA driver and an NVRTC in host memory, for tests without a GPU. Device memory is host
/// memory; work is done when it is enqueued; a launch calls on_launch. One at a time may exist.
///
///     FakeCuda fake;
///     fake.on_launch = [](FakeLaunch& launch) { …; return CUDA_SUCCESS; };
///     auto platform = make_cuda_platform(fake.tables(), Log(LogLevel::off));
///
/// Everything the library has from it must be gone before it is.
class FakeCuda {
public:
    explicit FakeCuda(int device_count = 1);
    ~FakeCuda();
    FakeCuda(const FakeCuda&) = delete;
    FakeCuda& operator=(const FakeCuda&) = delete;

    /// For make_cuda_platform().
    [[nodiscard]] CudaTables tables() const;
    /// For calls that an app would make.
    [[nodiscard]] const DriverTable& driver() const;
    FakeGpu& device(int ordinal);

    /// Does the kernel's work. A code that is fatal on CUDA poisons the context and shows at the
    /// next wait; any other is the answer of the launch. Not called for the backend's own
    /// kernels.
    std::function<CUresult(FakeLaunch&)> on_launch;
    /// The compiler's log for an expression that does not compile.
    std::function<std::optional<std::string>(const std::string& expression)> on_compile;

    // Faults. `result` is a CUresult, or an nvrtcResult for a function of NVRTC.

    /// The n-th next call (from 1) of `function` ("cuMemAlloc") answers `result`, as do all later
    /// ones if `forever`.
    void fail(const std::string& function, int nth, int result, bool forever = false);
    /// The n-th next call of any function fails, with an internal error where it is NVRTC's.
    void fail_nth_call(int nth, CUresult result);
    void mend();  ///< forgets the faults above
    /// The calling thread's context is lost to `result`, as by an asynchronous error.
    void poison(CUresult result);
    /// Kernels launched while `on` never end.
    void hang(bool on);

    // The app's side, for the calling thread. Its streams and contexts are not leaks.

    CUcontext make_context(int ordinal);
    CUcontext primary_context(int ordinal);
    /// As the end of a context, or the last release of a primary one: streams and events that live
    /// in it are gone. Not where the library holds the primary one; false then.
    bool end_context(CUcontext context);
    void make_current(CUcontext context);  ///< null: none is current
    [[nodiscard]] CUcontext current() const;
    CUstream make_stream();  ///< blocking, of the current context
    /// Device memory of the current context, to be given back.
    CUdeviceptr allocate(std::size_t bytes);
    void free(CUdeviceptr memory);
    void begin_capture(CUstream stream);
    /// True if the capture was alive until now.
    bool end_capture(CUstream stream);

    // Observations.

    [[nodiscard]] int calls(const std::string& function) const;
    [[nodiscard]] std::map<std::string, int> all_calls() const;  ///< by function
    [[nodiscard]] int total_calls() const;
    /// Of the thread that captures: threads of the library's own may make safe calls meanwhile.
    [[nodiscard]] std::vector<std::string> calls_during_capture() const;
    [[nodiscard]] std::vector<FakeLaunch> launches() const;   ///< run, in order
    [[nodiscard]] std::vector<FakeLaunch> captured() const;   ///< captured instead of run
    [[nodiscard]] std::vector<FakeTexture> textures() const;  ///< in the order of creation
    /// The order of accesses to memory, once it is told to watch: copies report by themselves,
    /// launches by touch().
    [[nodiscard]] FakeOrder& order();
    void touch(const FakeLaunch& launch, std::uint64_t address, std::size_t bytes, bool writes);
    /// Misuse: stale or foreign handles, memory out of bounds, calls that break a capture.
    [[nodiscard]] std::vector<std::string> violations() const;
    /// Resources that the library has not given back.
    [[nodiscard]] std::vector<std::string> leaks() const;

    struct State;

private:
    std::unique_ptr<State> state_;
    std::shared_ptr<const DriverTable> driver_;
    std::shared_ptr<const NvrtcTable> nvrtc_;
};

}  // namespace jitune::internal
