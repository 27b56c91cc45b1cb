// SPDX-License-Identifier: Apache-2.0
#include "fake/fake_cuda.hpp"

#include <cstdlib>

#include <fmt/format.h>

#include "fake/fake_cuda_state.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {
namespace {

FakeCuda::State* active = nullptr;

/// An H200, but for a cache that is soon flushed.
FakeGpu h200() {
    return {.name = "NVIDIA H200 (fake)",
            .attributes = {{CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 132},
                           {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
                           {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
                           {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 2048},
                           {CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 32},
                           {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 232448},
                           {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 65536},
                           {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 1 << 20},
                           {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 6016},
                           {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 3201000},
                           {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9},
                           {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0},
                           {CU_DEVICE_ATTRIBUTE_ECC_ENABLED, 1},
                           {CU_DEVICE_ATTRIBUTE_MPS_ENABLED, 0},
                           {CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, 512},
                           {CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT, 32},
                           {CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH, 1 << 28},
                           {CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH, 131072},
                           {CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT, 65000},
                           {CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH, 2097120}}};
}

using Lock = std::lock_guard<std::recursive_mutex>;

}  // namespace

FakeCuda::State& fake_state() {
    if (active == nullptr) {
        std::abort();  // a call after the FakeCuda was destroyed
    }
    return *active;
}

FakeCuda::FakeCuda(int device_count)
    : state_(std::make_unique<State>(*this)),
      driver_(fake_driver_table()),
      nvrtc_(fake_nvrtc_table()) {
    if (active != nullptr) {
        std::abort();
    }
    active = state_.get();
    state_->devices.assign(static_cast<std::size_t>(device_count), h200());
    state_->stack().clear();
    state_->capture_mode() = CU_STREAM_CAPTURE_MODE_GLOBAL;
}

FakeCuda::~FakeCuda() {
    for (FakeStream* stream : state_->streams) {
        delete stream;
    }
    for (FakeEvent* event : state_->events) {
        delete event;
    }
    for (const auto& graphs : {state_->graphs, state_->replays}) {
        for (FakeGraph* graph : graphs) {
            delete graph;
        }
    }
    for (FakeLibrary* library : state_->libraries) {
        delete library;
    }
    state_->stack().clear();
    active = nullptr;
}

CudaTables FakeCuda::tables() const {
    return {[driver = driver_] { return driver; }, [nvrtc = nvrtc_] { return nvrtc; },
            []() -> std::shared_ptr<const NvmlTable> {
                throw Error(ErrorKind::unavailable, "the fake has no NVML");
            },
            []() -> std::shared_ptr<const NcclTable> {
                throw Error(ErrorKind::unavailable, "the fake has no NCCL");
            },
            []() -> std::shared_ptr<const CuptiTable> {
                throw Error(ErrorKind::unavailable, "the fake has no CUPTI");
            }};
}

const DriverTable& FakeCuda::driver() const {
    return *driver_;
}

FakeGpu& FakeCuda::device(int ordinal) {
    return state_->devices.at(static_cast<std::size_t>(ordinal));
}

void FakeCuda::fail(const std::string& function, int nth, int result, bool forever) {
    const Lock lock(state_->mutex);
    state_->faults.push_back({function, nth, result, forever});
}

void FakeCuda::fail_nth_call(int nth, CUresult result) {
    fail("", nth, result);
}

void FakeCuda::mend() {
    const Lock lock(state_->mutex);
    state_->faults.clear();
}

void FakeCuda::poison(CUresult result) {
    const Lock lock(state_->mutex);
    state_->current()->lost = result;
}

void FakeCuda::hang(bool on) {
    const Lock lock(state_->mutex);
    state_->hanging = on;
}

CUcontext FakeCuda::make_context(int ordinal) {
    const Lock lock(state_->mutex);
    state_->initialised = true;
    state_->contexts.push_back(std::make_unique<FakeContext>(
        FakeContext{.device = ordinal, .id = state_->contexts.size() + 1}));
    return reinterpret_cast<CUcontext>(state_->contexts.back().get());
}

CUcontext FakeCuda::primary_context(int ordinal) {
    const Lock lock(state_->mutex);
    if (state_->primaries[ordinal] == nullptr) {
        state_->primaries[ordinal] = reinterpret_cast<FakeContext*>(make_context(ordinal));
    }
    return reinterpret_cast<CUcontext>(state_->primaries[ordinal]);
}

bool FakeCuda::end_context(CUcontext context) {
    const Lock lock(state_->mutex);
    auto* const ended = reinterpret_cast<FakeContext*>(context);
    const auto primary = state_->primaries.find(ended->device);
    if (primary != state_->primaries.end() && primary->second == ended) {
        if (state_->primary_references[ended->device] > 0) {
            return false;
        }
        state_->primaries.erase(primary);
    }
    const auto end = [&](auto& things) {
        std::erase_if(things, [&](auto* thing) {
            const bool gone = thing->context == ended;
            if (gone) {
                delete thing;
            }
            return gone;
        });
    };
    end(state_->streams);
    end(state_->events);
    std::erase_if(state_->textures, [&](const auto& one) { return one.second.context == context; });
    return true;
}

void FakeCuda::make_current(CUcontext context) {
    const Lock lock(state_->mutex);
    state_->stack().clear();
    if (context != nullptr) {
        state_->stack().push_back(reinterpret_cast<FakeContext*>(context));
    }
}

CUcontext FakeCuda::current() const {
    return reinterpret_cast<CUcontext>(state_->current());
}

CUstream FakeCuda::make_stream() {
    const Lock lock(state_->mutex);
    auto* stream = new FakeStream{.context = state_->current(),
                                  .id = state_->next_stream_id++,
                                  .blocking = true,
                                  .owned_by_app = true};
    state_->streams.insert(stream);
    return reinterpret_cast<CUstream>(stream);
}

CUdeviceptr FakeCuda::allocate(std::size_t bytes) {
    CUdeviceptr memory = 0;
    if (driver_->cuMemAlloc(&memory, bytes) != CUDA_SUCCESS) {
        std::abort();
    }
    return memory;
}

void FakeCuda::free(CUdeviceptr memory) {
    if (driver_->cuMemFree(memory) != CUDA_SUCCESS) {
        std::abort();
    }
}

FakeOrder& FakeCuda::order() {
    return state_->order;
}

void FakeCuda::touch(const FakeLaunch& launch, std::uint64_t address, std::size_t bytes,
                     bool writes) {
    const Lock lock(state_->mutex);
    state_->order.access(launch.stream_id, address, bytes, writes, launch.expression);
}

void FakeCuda::begin_capture(CUstream stream) {
    const Lock lock(state_->mutex);
    reinterpret_cast<FakeStream*>(stream)->capture = CU_STREAM_CAPTURE_STATUS_ACTIVE;
    state_->capturer = std::this_thread::get_id();
}

bool FakeCuda::end_capture(CUstream stream) {
    const Lock lock(state_->mutex);
    auto* fake = reinterpret_cast<FakeStream*>(stream);
    const bool alive = fake->capture == CU_STREAM_CAPTURE_STATUS_ACTIVE;
    fake->capture = CU_STREAM_CAPTURE_STATUS_NONE;
    return alive;
}

int FakeCuda::calls(const std::string& function) const {
    const Lock lock(state_->mutex);
    const auto found = state_->calls.find(function);
    return found == state_->calls.end() ? 0 : found->second;
}

std::map<std::string, int> FakeCuda::all_calls() const {
    const Lock lock(state_->mutex);
    return state_->calls;
}

int FakeCuda::total_calls() const {
    const Lock lock(state_->mutex);
    return state_->total_calls;
}

std::vector<std::string> FakeCuda::calls_during_capture() const {
    const Lock lock(state_->mutex);
    return state_->calls_during_capture;
}

std::vector<FakeLaunch> FakeCuda::launches() const {
    const Lock lock(state_->mutex);
    return state_->launches;
}

std::vector<FakeLaunch> FakeCuda::captured() const {
    const Lock lock(state_->mutex);
    return state_->captured;
}

std::vector<FakeTexture> FakeCuda::textures() const {
    const Lock lock(state_->mutex);
    std::vector<FakeTexture> all;
    for (const auto& [handle, texture] : state_->textures) {
        all.push_back(texture);
    }
    return all;
}

std::vector<std::string> FakeCuda::violations() const {
    const Lock lock(state_->mutex);
    return state_->violations;
}

std::vector<std::string> FakeCuda::leaks() const {
    const Lock lock(state_->mutex);
    std::vector<std::string> found;
    for (const auto& [address, memory] : state_->memory) {
        found.push_back(fmt::format("{} bytes of memory", memory.size));
    }
    for (const auto& [address, memory] : state_->pinned) {
        found.push_back(fmt::format("{} bytes of page-locked memory", memory.size));
    }
    for (const FakeStream* stream : state_->streams) {
        if (!stream->owned_by_app) {
            found.push_back(fmt::format("stream {}", stream->id));
        }
    }
    for (const auto& [device, count] : state_->primary_references) {
        if (count != 0) {
            found.push_back(fmt::format("{} references to primary context {}", count, device));
        }
    }
    found.insert(found.end(), state_->events.size(), "an event");
    found.insert(found.end(), state_->graphs.size(), "a graph");
    found.insert(found.end(), state_->replays.size(), "a graph replay");
    found.insert(found.end(), state_->libraries.size(), "a library");
    found.insert(found.end(), state_->textures.size(), "a texture object");
    found.insert(found.end(), state_->programs.size(), "an NVRTC program");
    return found;
}

}  // namespace jitune::internal
