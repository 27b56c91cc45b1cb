// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "backend/device.hpp"

namespace jitune::internal {

/// Memory between two pages that nothing may touch: a candidate that leaves its arrays by more than
/// a page crashes at once, and not another one later. Aligned to 256 bytes like a device's, and as
/// close to the page behind it as that allows.
class GuardedMemory final : public DeviceMemory {
public:
    /// The content is indeterminate. Throws Error(unavailable).
    explicit GuardedMemory(std::size_t bytes);
    ~GuardedMemory() override;
    GuardedMemory(const GuardedMemory&) = delete;
    GuardedMemory& operator=(const GuardedMemory&) = delete;

    [[nodiscard]] void* data() const override { return data_; }
    [[nodiscard]] std::size_t bytes() const override { return bytes_; }

private:
    std::size_t bytes_;
    std::size_t mapped_bytes_;
    std::byte* mapping_;
    void* data_;
};

}  // namespace jitune::internal
