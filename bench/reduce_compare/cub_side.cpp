// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <memory>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "reduce_compare/cub_functions.hpp"
#include "reduce_compare/device_memory.hpp"
#include "reduce_compare/side.hpp"

namespace jitune::bench {

namespace {

struct ElementRow {
    CubFunctionsByOp (*flat)();
    CubFunctionsByOp (*rows)();
    CubFunctionsByOp (*segments)();
};

template <class T>
constexpr ElementRow row() {
    return {cub_flat_functions<T>, cub_row_functions<T>, cub_segment_functions<T>};
}

/// By ElementType.
constexpr std::array<ElementRow, 12> kRows{
    row<std::int8_t>(),  row<std::uint8_t>(),  row<std::int16_t>(), row<std::uint16_t>(),
    row<std::int32_t>(), row<std::uint32_t>(), row<std::int64_t>(), row<std::uint64_t>(),
    row<__half>(),       row<__nv_bfloat16>(), row<float>(),        row<double>()};

/// Null where CUB has none.
CubFunction function_for(const Problem& problem) {
    if (problem.shape == Shape::columns) {
        return nullptr;
    }
    const ElementRow& row = kRows.at(static_cast<std::size_t>(problem.element));
    const auto functions = problem.ragged()               ? row.segments()
                           : problem.shape == Shape::rows ? row.rows()
                                                          : row.flat();
    return functions.at(static_cast<std::size_t>(problem.op));
}

}  // namespace

std::optional<Side> cub_side(const Problem& problem, const std::int64_t* offsets,
                             cudaStream_t stream) {
    const CubFunction function = function_for(problem);
    if (function == nullptr) {
        return std::nullopt;
    }
    std::size_t bytes = 0;
    CubArguments call{nullptr, &bytes,        nullptr,       offsets,
                      nullptr, problem.outer, problem.inner, stream};
    cuda_call(function(call), "ask CUB for its temporary storage");
    const auto temp = std::make_shared<DeviceMemory>(bytes + 1);
    const Call enqueue = [function, temp, bytes, call](const void* values, void* results) mutable {
        call.temp = temp->data();
        call.temp_bytes = &bytes;
        call.values = values;
        call.results = results;
        cuda_call(function(call), "CUB");
    };
    return Side{enqueue, enqueue, "cub"};
}

}  // namespace jitune::bench
