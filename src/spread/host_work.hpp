// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "backend/launch.hpp"
#include "spread/partition.hpp"

namespace jitune::internal {

/// The inputs and outputs of one launch over a part of the rows.
struct Chunk {
    std::array<std::int64_t, 2> sizes{};  ///< of the launch, in the order of the kernel's `sizes`
    std::size_t size_count = 1;
    std::size_t input_bytes = 0;
    std::size_t output_bytes = 0;
    std::size_t skipped = 0;           ///< bytes of outputs before the wanted ones
    std::span<std::byte> target = {};  ///< receives the wanted outputs
    const void* source = nullptr;      ///< inputs that need no staging, or null
};

/// An operation over arrays in host memory that is done part by part. Thread-safe.
class HostWork {
public:
    virtual ~HostWork() = default;

    /// The number of rows of outputs.
    [[nodiscard]] virtual std::int64_t rows() const = 0;
    /// The number of rows above and below a row that it is made from.
    [[nodiscard]] virtual std::int64_t halo() const = 0;
    /// The larger of the bytes of an input row and of an output row.
    [[nodiscard]] virtual std::size_t row_bytes() const = 0;

    [[nodiscard]] virtual Chunk chunk(const Part& part) const = 0;

    /// Writes the inputs of a chunk, as the kernel takes them, to `staging`.
    virtual void stage(const Part& part, std::byte* staging) const = 0;

    /// The kernel's arguments in its template's order.
    [[nodiscard]] virtual std::array<void*, kMaxArguments> arrays(void* input,
                                                                  void* output) const = 0;
};

}  // namespace jitune::internal
