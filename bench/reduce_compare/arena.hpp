// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "reduce_compare/cell.hpp"
#include "reduce_compare/device_memory.hpp"
#include "reduce_compare/values.hpp"

namespace jitune::bench {

struct StreamDestroy {
    using pointer = cudaStream_t;
    void operator()(cudaStream_t stream) const noexcept { cudaStreamDestroy(stream); }
};

/// The device memory of a comparison, and its stream.
class Arena {
public:
    /// `pool_bytes` of values and `result_bytes` of results.
    Arena(std::size_t pool_bytes, std::size_t result_bytes);

    /// Fills the pool with these values of this type unless it holds them.
    void load(ElementType element, const Values& values);

    /// Fills the results with bytes that are no right answer.
    void poison() const;

    /// Reads enough other memory that nothing of the pool is left in the L2.
    void flush_l2() const;

    [[nodiscard]] cudaStream_t stream() const { return stream_.get(); }
    void synchronize() const { cuda_call(cudaStreamSynchronize(stream()), "wait for the stream"); }
    [[nodiscard]] const DeviceMemory& pool() const { return pool_; }
    [[nodiscard]] const DeviceMemory& results() const { return results_; }

private:
    std::unique_ptr<cudaStream_t, StreamDestroy> stream_;
    DeviceMemory pool_;
    DeviceMemory results_;
    DeviceMemory flush_;
    std::optional<std::pair<ElementType, Values>> loaded_;
};

}  // namespace jitune::bench
