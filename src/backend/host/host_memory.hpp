// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

#include "backend/device.hpp"

namespace jitune::internal {

/// Bytes that this process can still use before the system ends it, as far as Linux tells; malloc
/// promises more. The least of what the machine and each control group around the process have
/// left, file caches counted as free. The largest size_t if nothing is known.
std::size_t available_memory();

/// Throws Error(unavailable) if so many bytes are more than available_memory(). Asks the system
/// only for amounts that matter.
void refuse_unavailable_memory(std::size_t bytes);

/// Memory of this process, aligned to 256 bytes like a device's.
class HostMemory final : public DeviceMemory {
public:
    enum class Content { any, zero };

    HostMemory() = default;
    /// Throws Error(unavailable).
    HostMemory(std::size_t bytes, Content content);

    [[nodiscard]] void* data() const override { return data_.get(); }
    [[nodiscard]] std::size_t bytes() const override { return bytes_; }

private:
    struct Free {
        void operator()(void* data) const noexcept;
    };
    std::unique_ptr<void, Free> data_;
    std::size_t bytes_ = 0;
};

}  // namespace jitune::internal
