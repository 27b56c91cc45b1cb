// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "fake/fake_call.hpp"

namespace jitune::internal {
namespace {

// Above this, memory is zero from the start and is not really filled: a flush buffer of an H200
// would take a quarter of a GiB.
constexpr std::size_t kNotReallyFilled = std::size_t{64} << 20U;

CUresult mem_alloc(CUdeviceptr* address, std::size_t bytes) {
    ENTER("cuMemAlloc", kContextNoCapture)
    std::size_t used = bytes;
    for (const auto& [key, memory] : state.memory) {
        used += memory.size;
    }
    const auto device = static_cast<std::size_t>(state.current()->device);
    if (bytes == 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (used > state.devices.at(device).memory_bytes) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    FakeBlock memory{{static_cast<std::byte*>(nullptr), std::free}, bytes, state.current()->device};
    const std::size_t rounded = (bytes + 511) / 512 * 512;
    memory.bytes.reset(static_cast<std::byte*>(std::aligned_alloc(512, rounded)));
    if (bytes < kNotReallyFilled) {
        std::memset(memory.bytes.get(), 0xA5, rounded);
    }
    *address = reinterpret_cast<CUdeviceptr>(memory.bytes.get());
    state.memory.emplace(*address, std::move(memory));
    return CUDA_SUCCESS;
}

CUresult mem_free(CUdeviceptr address) {
    FakeCall call("cuMemFree", kContextNoCapture);
    if (call.state.memory.erase(address) == 0) {
        return call.state.violate("memory freed that is not allocated", CUDA_ERROR_INVALID_VALUE);
    }
    return call.result;
}

CUresult host_alloc(void** address, std::size_t bytes, unsigned) {
    ENTER("cuMemHostAlloc", kContextNoCapture)
    FakeBlock memory{{static_cast<std::byte*>(nullptr), std::free}, bytes};
    memory.bytes.reset(static_cast<std::byte*>(std::aligned_alloc(256, (bytes + 255) / 256 * 256)));
    *address = memory.bytes.get();
    state.pinned.emplace(*address, std::move(memory));
    return CUDA_SUCCESS;
}

CUresult host_free(void* address) {
    FakeCall call("cuMemFreeHost", kContextNoCapture);
    if (call.state.pinned.erase(address) == 0) {
        return call.state.violate("memory freed that is not page-locked", CUDA_ERROR_INVALID_VALUE);
    }
    return call.result;
}

CUresult mem_info(std::size_t* free, std::size_t* total) {
    ENTER("cuMemGetInfo", kContext)
    const auto device = static_cast<std::size_t>(state.current()->device);
    *total = *free = state.devices.at(device).memory_bytes;
    for (const auto& [address, memory] : state.memory) {
        *free -= std::min(*free, memory.size);
    }
    return CUDA_SUCCESS;
}

CUresult check_range(FakeCuda::State& state, CUdeviceptr address, std::size_t bytes) {
    return state.covers(address, bytes)
               ? CUDA_SUCCESS
               : state.violate("memory used out of bounds", CUDA_ERROR_INVALID_VALUE);
}

CUresult pointer_attribute(void* value, CUpointer_attribute attribute, CUdeviceptr address) {
    ENTER("cuPointerGetAttribute", kInit)
    const FakeBlock* const block = state.block_of(address);
    if (block == nullptr || attribute != CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *static_cast<int*>(value) = block->device;
    return CUDA_SUCCESS;
}

CUresult host_to_device(CUdeviceptr to, const void* from, std::size_t bytes, CUstream handle) {
    ENTER_ON_STREAM("cuMemcpyHtoDAsync", kInit)
    const CUresult result = check_range(state, to, bytes);
    state.order.access(stream->order_id(), to, bytes, true, "a copy from the host");
    if (result == CUDA_SUCCESS && bytes != 0) {
        std::memcpy(reinterpret_cast<void*>(to), from, bytes);
    }
    return result;
}

CUresult device_to_host(void* to, CUdeviceptr from, std::size_t bytes, CUstream handle) {
    ENTER_ON_STREAM("cuMemcpyDtoHAsync", kInit)
    const CUresult result = check_range(state, from, bytes);
    if (result == CUDA_SUCCESS && bytes != 0) {
        state.order.access(stream->order_id(), from, bytes, false, "a copy to the host");
        std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
    }
    return result;
}

CUresult copy_now(FakeCuda::State& state, const FakeStream& stream, CUdeviceptr to,
                  CUdeviceptr from, std::size_t bytes) {
    CUresult result = check_range(state, from, bytes);
    result = result == CUDA_SUCCESS ? check_range(state, to, bytes) : result;
    if (result == CUDA_SUCCESS) {
        state.order.access(stream.order_id(), from, bytes, false, "a copy");
        state.order.access(stream.order_id(), to, bytes, true, "a copy");
        std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
    }
    return result;
}

CUresult copy_inside(FakeCuda::State& state, FakeStream& stream, CUdeviceptr to, CUdeviceptr from,
                     std::size_t bytes) {
    const auto act = [&state, &stream, to, from, bytes] {
        return copy_now(state, stream, to, from, bytes);
    };
    return state.takes(stream, act) ? CUDA_SUCCESS : act();
}

CUresult device_to_device(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream handle) {
    ENTER_ON_STREAM("cuMemcpyDtoDAsync", kInit)
    return copy_inside(state, *stream, to, from, bytes);
}

CUresult peer_to_peer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                      CUcontext from_context, std::size_t bytes, CUstream handle) {
    ENTER_ON_STREAM("cuMemcpyPeerAsync", kInit)
    if (stream->graph != nullptr) {  // as seen with driver 580
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    for (const auto& [address, context] : {std::pair(to, to_context), {from, from_context}}) {
        const FakeBlock* const block = state.block_of(address);
        if (block == nullptr || block->device != reinterpret_cast<FakeContext*>(context)->device) {
            return state.violate("a copy between GPUs that names the wrong one",
                                 CUDA_ERROR_INVALID_VALUE);
        }
    }
    return copy_inside(state, *stream, to, from, bytes);
}

CUresult memset8(CUdeviceptr to, unsigned char value, std::size_t bytes, CUstream handle) {
    ENTER_ON_STREAM("cuMemsetD8Async", kInit)
    const CUresult result = check_range(state, to, bytes);
    state.order.access(stream->order_id(), to, bytes, true, "a fill");
    if (result == CUDA_SUCCESS && bytes < kNotReallyFilled) {
        std::memset(reinterpret_cast<void*>(to), value, bytes);
    }
    return result;
}

CUresult memset_column32(CUdeviceptr to, std::size_t pitch, unsigned value, std::size_t width,
                         std::size_t height, CUstream handle) {
    ENTER_ON_STREAM("cuMemsetD2D32Async", kInit)
    const std::size_t last = (height - 1) * pitch + width * sizeof value;
    const CUresult result = check_range(state, to, last);
    state.order.access(stream->order_id(), to, last, true, "a fill");
    const bool captured = stream->capture == CU_STREAM_CAPTURE_STATUS_ACTIVE;
    for (std::size_t row = 0; result == CUDA_SUCCESS && !captured && row < height; ++row) {
        std::memcpy(reinterpret_cast<void*>(to + row * pitch), &value, sizeof value);
    }
    return result;
}

}  // namespace

void fill_memory_functions(DriverTable& table) {
    table.cuMemAlloc = mem_alloc;
    table.cuMemFree = mem_free;
    table.cuMemGetInfo = mem_info;
    table.cuPointerGetAttribute = pointer_attribute;
    table.cuMemcpyPeerAsync = peer_to_peer;
    table.cuMemHostAlloc = host_alloc;
    table.cuMemFreeHost = host_free;
    table.cuMemcpyHtoDAsync = host_to_device;
    table.cuMemcpyDtoHAsync = device_to_host;
    table.cuMemcpyDtoDAsync = device_to_device;
    table.cuMemsetD8Async = memset8;
    table.cuMemsetD2D32Async = memset_column32;
}

}  // namespace jitune::internal
