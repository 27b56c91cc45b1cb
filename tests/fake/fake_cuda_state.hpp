// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <set>
#include <thread>

#include "fake/fake_cuda.hpp"
#include "fake/fake_order.hpp"

namespace jitune::internal {

struct FakeStream;

struct FakeContext {
    int device = 0;
    unsigned long long id = 0;
    CUresult lost = CUDA_SUCCESS;
};

struct FakeGraph;

struct FakeEvent {
    FakeContext* context = nullptr;
    double nanoseconds = -1;
    std::shared_ptr<FakeGraph> graph = nullptr;  ///< of the capture that has recorded it last
};

/// Work in the order of its capture. Where several streams were captured, each node runs on the
/// stream that it was captured from, else on the one that the graph is launched on.
struct FakeGraph {
    std::vector<std::variant<FakeLaunch, FakeEvent*, std::function<CUresult()>>> nodes;
    std::set<FakeStream*> streams;
};

struct FakeStream {
    FakeContext* context = nullptr;
    unsigned long long id = 0;
    bool blocking = true;
    bool owned_by_app = false;
    CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
    /// Work that the library captures; launches that the app captures go into State::captured.
    std::shared_ptr<FakeGraph> graph = nullptr;
    bool began_capture = false;
    int replays = 0;  ///< of graphs with work of this stream

    /// The stream in FakeOrder, which knows nothing of an order between two replays.
    [[nodiscard]] unsigned long long order_id() const {
        return id + 1'000'000ULL * static_cast<unsigned>(replays);
    }
};

struct FakeBlock {
    std::unique_ptr<std::byte, void (*)(void*)> bytes{nullptr, nullptr};
    std::size_t size = 0;
    int device = 0;
};

struct FakeKernel {
    std::string expression;
    int most_dynamic_bytes = 48 << 10;
    std::vector<std::byte> constant = {};  ///< of a variable, whose expression begins with "&"
};

struct FakeLibrary {
    std::map<std::string, FakeKernel> kernels;  ///< by symbol
};

struct FakeFault {
    std::string function;  ///< empty: any
    int countdown = 0;
    int result = 0;
    bool forever = false;
};

/// Conditions of a call; see FakeCuda::State::enter.
struct FakeNeeds {
    bool init = true;
    bool context = false;
    bool no_capture = false;  ///< unsafe while a stream captures, but for threads in relaxed mode
};

/// The driver's insides, under one lock. Handles are the addresses of these structs.
struct FakeCuda::State {
    explicit State(FakeCuda& fake) : owner(fake) {}

    /// Counts a call and says how it fails before it does anything.
    CUresult enter(const char* function, FakeNeeds needs);
    /// As enter(), for NVRTC.
    nvrtcResult enter_nvrtc(const char* function);
    CUresult violate(std::string what, CUresult result);
    FakeContext* current();
    std::vector<FakeContext*>& stack();   ///< of the calling thread
    CUstreamCaptureMode& capture_mode();  ///< of the calling thread
    /// The stream behind a handle, default ones included; null, with a result, where there is none.
    FakeStream* find(CUstream handle, CUresult& result);
    FakeStream* default_stream(const std::string& key);
    /// True while the app captures: the library's captures, in relaxed mode, forbid nothing.
    bool capturing() const;
    void break_captures();
    /// Has a capture of the library take an act of a stream instead of doing it now.
    bool takes(FakeStream& stream, std::function<CUresult()> act);
    /// Runs or captures one launch.
    CUresult launch(const FakeLaunch& launch, FakeStream& stream);
    /// True if the range lies in one live block.
    bool covers(CUdeviceptr address, std::size_t bytes) const;
    /// The block that holds the address; null where there is none.
    const FakeBlock* block_of(CUdeviceptr address) const;

    FakeCuda& owner;
    mutable std::recursive_mutex mutex;
    bool initialised = false;
    bool hanging = false;
    bool hung = false;  ///< a kernel was launched that never ends
    double clock = 0;
    unsigned long long next_stream_id = 1;
    std::vector<FakeGpu> devices;
    std::vector<std::unique_ptr<FakeContext>> contexts;
    std::map<int, FakeContext*> primaries;
    std::map<int, int> primary_references;
    std::map<std::string, FakeStream> default_streams;
    std::map<CUdeviceptr, FakeBlock> memory;
    std::map<void*, FakeBlock> pinned;
    std::set<FakeStream*> streams;
    std::set<FakeEvent*> events;
    std::set<FakeGraph*> graphs, replays;
    std::set<FakeLibrary*> libraries;
    std::map<CUtexObject, FakeTexture> textures;
    CUtexObject next_texture = 1000;
    std::set<void*> programs;  ///< of NVRTC
    std::vector<FakeFault> faults;
    FakeOrder order;
    std::map<std::string, int> calls;
    int total_calls = 0;
    std::thread::id capturer;  ///< the thread that began the app's last capture
    std::vector<std::string> calls_during_capture, violations;
    std::vector<FakeLaunch> launches, captured;

private:
    const FakeFault* due(const char* function);
};

/// The state of the one FakeCuda that exists.
FakeCuda::State& fake_state();

std::shared_ptr<const DriverTable> fake_driver_table();
std::shared_ptr<const NvrtcTable> fake_nvrtc_table();

/// The kernels of an image that the fake NVRTC made, by symbol; empty for any other image.
struct FakeImage {
    int compute_capability = 0;
    std::map<std::string, std::string> expressions;  ///< by symbol
};
std::optional<FakeImage> read_fake_image(const char* image);

}  // namespace jitune::internal
