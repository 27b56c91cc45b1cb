// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

#include "reduce_compare/cuda_call.hpp"

namespace jitune::bench {

struct DeviceFree {
    void operator()(void* memory) const noexcept { cudaFree(memory); }
};

/// Owned bytes of device memory.
class DeviceMemory {
public:
    DeviceMemory() = default;
    explicit DeviceMemory(std::size_t bytes) : bytes_(bytes) {
        void* memory = nullptr;
        cuda_call(cudaMalloc(&memory, bytes), "cudaMalloc");
        memory_.reset(memory);
    }

    [[nodiscard]] std::byte* data() const { return static_cast<std::byte*>(memory_.get()); }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }

    template <class T>
    [[nodiscard]] T* as() const {
        return static_cast<T*>(memory_.get());
    }

private:
    std::unique_ptr<void, DeviceFree> memory_;
    std::size_t bytes_ = 0;
};

}  // namespace jitune::bench
