// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "backend/launch.hpp"
#include "shards/partition.hpp"

namespace jitune::internal {

/// What one launch over a part of the rows takes and gives.
struct Chunk {
    std::array<std::int64_t, 2> sizes{};  ///< of the launch, in the order of the kernel's `sizes`
    std::size_t size_count = 1;
    std::size_t input_bytes = 0;
    std::size_t output_bytes = 0;
    std::size_t skipped = 0;           ///< bytes of outputs before those that are wanted
    std::span<std::byte> target = {};  ///< where those go
    const void* source = nullptr;      ///< where the inputs lie as the kernel takes them, or null
};

/// An operation over arrays in host memory that can be done part by part. Read by several threads.
class HostWork {
public:
    virtual ~HostWork() = default;

    /// Rows that are worked out.
    [[nodiscard]] virtual std::int64_t rows() const = 0;
    /// Rows above and below that each needs.
    [[nodiscard]] virtual std::int64_t halo() const = 0;
    /// The most that the arrays have for a row.
    [[nodiscard]] virtual std::size_t row_bytes() const = 0;

    [[nodiscard]] virtual Chunk chunk(const Part& part) const = 0;

    /// Writes the inputs of a chunk, as the kernel takes them, to `staging`.
    virtual void stage(const Part& part, std::byte* staging) const = 0;

    /// The kernel's arrays in its template's order.
    [[nodiscard]] virtual std::array<void*, kMaxArguments> arrays(void* input,
                                                                  void* output) const = 0;
};

}  // namespace jitune::internal
