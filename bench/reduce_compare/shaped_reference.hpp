// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <cuda_runtime_api.h>

#include "reduce_compare/device_memory.hpp"
#include "reduce_compare/problem.hpp"
#include "reduce_compare/values.hpp"

namespace jitune::bench {

/// What rows, columns or segments must answer, computed from the generator with one atomic per
/// element, and the comparison with what a side wrote, on the device. Sums and maxima only.
class ShapedReference {
public:
    /// Of the elements from value starts[i] on, for each i. `offsets` in device memory, for ragged
    /// problems, else null. Waits for the stream.
    ShapedReference(const Problem& problem, const Values& values,
                    const std::vector<std::size_t>& starts, const std::int64_t* offsets,
                    cudaStream_t stream);

    /// How many of the results at `results` differ from those of starts[i]. Waits for the stream.
    [[nodiscard]] std::size_t mistakes(std::size_t i, const void* results,
                                       cudaStream_t stream) const;

private:
    Problem problem_;
    DeviceMemory expected_;
    DeviceMemory count_;
};

}  // namespace jitune::bench
