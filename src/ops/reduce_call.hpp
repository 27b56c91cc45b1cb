#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/engine.hpp"
#include "jitune/reduce.hpp"

namespace jitune {

/// One reduction of n > 0 elements on one device, as the dispatch table knows it.
struct ReduceCall {
    Backend& backend;
    const Kernel& kernel;
    ElementType type;
    ReduceOp op;
    std::int64_t n;

    [[nodiscard]] DispatchKey key() const;
};

/// Throws Error(usage) for null or misaligned pointers and for more than 2^40 elements.
void refuse_bad_pointers(ElementType type, const void* values, std::size_t n, const void* result);
void refuse_bad_count(std::size_t n);
/// Throws Error(usage) for a value that is none of the enumeration.
void refuse_bad_op(ReduceOp op);

/// The value of a reduction of nothing, in the first bytes_of(type) bytes.
std::array<std::byte, 8> reduce_identity(ElementType type, ReduceOp op);

/// The dispatch table's answer; on a miss the engine's, which `stream` must not be capturing for.
const Resolved& resolve(Engine& engine, const ReduceCall& call, Stream stream);

/// The call for data on the device that the calling thread's CUDA context belongs to.
ReduceCall cuda_call(Engine& engine, ElementType type, ReduceOp op, std::size_t n);

/// The call for a device id such as "host" or "cuda:1".
ReduceCall call_on(Engine& engine, std::string_view device, ElementType type, ReduceOp op,
                   std::size_t n);

}  // namespace jitune
