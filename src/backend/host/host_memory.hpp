// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

#include "backend/device.hpp"

namespace jitune::internal {

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
