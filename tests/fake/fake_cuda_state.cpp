// SPDX-License-Identifier: Apache-2.0
#include "fake/fake_cuda_state.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <sstream>
#include <thread>
#include <tuple>

#include <fmt/format.h>

#include "backend/cuda/driver/driver_table.hpp"

namespace jitune::internal {
namespace {

struct ThreadState {
    std::vector<FakeContext*> stack;
    CUstreamCaptureMode capture_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
};
thread_local ThreadState this_thread;

CUresult compare_bytes(FakeCuda::State& state, const FakeLaunch& launch) {
    const auto& [one, other, bytes, answer] =
        std::tie(launch.arguments.at(0), launch.arguments.at(1), launch.arguments.at(2),
                 launch.arguments.at(3));
    if (!state.covers(one, bytes) || !state.covers(other, bytes)) {
        return state.violate("memory compared out of bounds", CUDA_ERROR_ILLEGAL_ADDRESS);
    }
    const std::uint32_t different = std::memcmp(reinterpret_cast<const void*>(one),
                                                reinterpret_cast<const void*>(other), bytes) != 0;
    std::memcpy(reinterpret_cast<void*>(answer), &different, sizeof different);
    return CUDA_SUCCESS;
}

CUresult copy_pieces(FakeCuda::State& state, const FakeLaunch& launch) {
    for (std::size_t i = 0; i < launch.grid.y; ++i) {
        const std::uint64_t to = launch.arguments.at(3 * i);
        const std::uint64_t from = launch.arguments.at(3 * i + 1);
        const std::uint64_t bytes = launch.arguments.at(3 * i + 2);
        if (!state.covers(from, bytes) || !state.covers(to, bytes)) {
            return state.violate("pieces copied out of bounds", CUDA_ERROR_ILLEGAL_ADDRESS);
        }
        if (state.block_of(from)->device != launch.device) {
            return state.violate("pieces read from another GPU", CUDA_ERROR_ILLEGAL_ADDRESS);
        }
        state.order.access(launch.stream_id, from, bytes, false, "a copy of pieces");
        state.order.access(launch.stream_id, to, bytes, true, "a copy of pieces");
        std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
    }
    return CUDA_SUCCESS;
}

CUresult checksum_regions(FakeCuda::State& state, const FakeLaunch& launch) {
    struct Region {
        std::uint64_t address, bytes;
    };
    const auto* const regions = reinterpret_cast<const Region*>(launch.arguments.at(0));
    auto* const sums = reinterpret_cast<std::uint64_t*>(launch.arguments.at(2));
    for (std::uint64_t i = 0; i < launch.arguments.at(1); ++i) {
        if (regions[i].address % 16 != 0 || !state.covers(regions[i].address, regions[i].bytes)) {
            return state.violate("checksum of memory out of bounds", CUDA_ERROR_ILLEGAL_ADDRESS);
        }
        const MemoryRegion region{reinterpret_cast<const void*>(regions[i].address),
                                  regions[i].bytes};
        sums[i] += host_checksums(std::span(&region, 1)).front();
    }
    return CUDA_SUCCESS;
}

}  // namespace

std::vector<FakeContext*>& FakeCuda::State::stack() {
    return this_thread.stack;
}

CUstreamCaptureMode& FakeCuda::State::capture_mode() {
    return this_thread.capture_mode;
}

FakeContext* FakeCuda::State::current() {
    return stack().empty() ? nullptr : stack().back();
}

const FakeFault* FakeCuda::State::due(const char* function) {
    for (FakeFault& fault : faults) {
        if (fault.function.empty() || fault.function == function) {
            --fault.countdown;
            if (fault.countdown == 0 || (fault.countdown < 0 && fault.forever)) {
                return &fault;
            }
        }
    }
    return nullptr;
}

CUresult FakeCuda::State::enter(const char* function, FakeNeeds needs) {
    ++calls[function];
    ++total_calls;
    if (capturing() && std::this_thread::get_id() == capturer) {
        calls_during_capture.emplace_back(function);
    }
    if (const FakeFault* fault = due(function)) {
        return static_cast<CUresult>(fault->result);
    }
    if (needs.init && !initialised) {
        return CUDA_ERROR_NOT_INITIALIZED;
    }
    if (needs.context && current() == nullptr) {
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    if (needs.context && current()->lost != CUDA_SUCCESS) {
        return current()->lost;
    }
    if (needs.no_capture && capturing() && capture_mode() != CU_STREAM_CAPTURE_MODE_RELAXED) {
        break_captures();
        return violate(fmt::format("{} during a capture", function),
                       CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    }
    return CUDA_SUCCESS;
}

nvrtcResult FakeCuda::State::enter_nvrtc(const char* function) {
    ++calls[function];
    ++total_calls;
    const FakeFault* fault = due(function);
    if (fault == nullptr) {
        return NVRTC_SUCCESS;
    }
    return fault->function.empty() ? NVRTC_ERROR_INTERNAL_ERROR
                                   : static_cast<nvrtcResult>(fault->result);
}

CUresult FakeCuda::State::violate(std::string what, CUresult result) {
    violations.push_back(std::move(what));
    return result;
}

bool FakeCuda::State::capturing() const {
    return std::any_of(streams.begin(), streams.end(), [](const FakeStream* stream) {
        return stream->capture == CU_STREAM_CAPTURE_STATUS_ACTIVE && stream->graph == nullptr;
    });
}

void FakeCuda::State::break_captures() {
    for (FakeStream* stream : streams) {
        if (stream->capture == CU_STREAM_CAPTURE_STATUS_ACTIVE && stream->graph == nullptr) {
            stream->capture = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
        }
    }
}

FakeStream* FakeCuda::State::default_stream(const std::string& key) {
    FakeStream& stream = default_streams[key];
    if (stream.id == 0) {
        stream.id = next_stream_id++;
        stream.context = current();
    }
    return &stream;
}

FakeStream* FakeCuda::State::find(CUstream handle, CUresult& result) {
    result = CUDA_SUCCESS;
    if (handle == nullptr || handle == CU_STREAM_LEGACY || handle == CU_STREAM_PER_THREAD) {
        if (current() == nullptr) {
            result = CUDA_ERROR_INVALID_CONTEXT;
            return nullptr;
        }
        std::ostringstream key;
        key << current();
        if (handle == CU_STREAM_PER_THREAD) {
            key << ' ' << std::this_thread::get_id();
        }
        return default_stream(key.str());
    }
    const auto found = streams.find(reinterpret_cast<FakeStream*>(handle));
    if (found == streams.end()) {
        result = violate("a stream that does not exist", CUDA_ERROR_INVALID_HANDLE);
        return nullptr;
    }
    result = (*found)->context->lost;
    return result == CUDA_SUCCESS ? *found : nullptr;
}

const FakeBlock* FakeCuda::State::block_of(CUdeviceptr address) const {
    const auto after = memory.upper_bound(address);
    if (after == memory.begin()) {
        return nullptr;
    }
    const auto& [first, block] = *std::prev(after);
    return address - first <= block.size ? &block : nullptr;
}

bool FakeCuda::State::covers(CUdeviceptr address, std::size_t bytes) const {
    for (const FakeLibrary* library : libraries) {
        for (const auto& [symbol, kernel] : library->kernels) {
            const auto begin = reinterpret_cast<CUdeviceptr>(kernel.constant.data());
            if (address >= begin && address + bytes <= begin + kernel.constant.size()) {
                return true;
            }
        }
    }
    const FakeBlock* const block = block_of(address);
    return block != nullptr &&
           bytes <= block->size - (address - reinterpret_cast<CUdeviceptr>(block->bytes.get()));
}

bool FakeCuda::State::takes(FakeStream& stream, std::function<CUresult()> act) {
    if (stream.graph == nullptr) {
        return false;
    }
    stream.graph->nodes.emplace_back(std::move(act));
    return true;
}

CUresult FakeCuda::State::launch(const FakeLaunch& wanted, FakeStream& stream) {
    FakeLaunch run = wanted;
    run.device = stream.context->device;
    run.stream_id = stream.order_id();
    if (stream.capture == CU_STREAM_CAPTURE_STATUS_ACTIVE) {
        if (stream.graph != nullptr) {
            stream.graph->nodes.emplace_back(run);
        } else {
            captured.push_back(run);
        }
        return CUDA_SUCCESS;
    }
    if (run.expression == "jitune_copy_pieces") {
        return copy_pieces(*this, run);
    }
    hung = hung || hanging;
    CUresult result = CUDA_SUCCESS;
    if (run.expression == "jitune::compare_bytes") {
        result = compare_bytes(*this, run);
    } else if (run.expression == "jitune::checksum_regions") {
        result = checksum_regions(*this, run);
    } else if (owner.on_launch && run.expression != "jitune::read_flush") {
        result = owner.on_launch(run);
    }
    launches.push_back(run);
    clock += run.nanoseconds;
    if (result != CUDA_SUCCESS && is_fatal(result)) {
        stream.context->lost = result;
        return CUDA_SUCCESS;
    }
    return result;
}

}  // namespace jitune::internal
