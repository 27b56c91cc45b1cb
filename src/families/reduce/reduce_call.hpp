// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "dispatch/call_memo.hpp"
#include "dispatch/engine.hpp"
#include "families/reduce/reduce_kernel.hpp"
#include "jitune/reduce.hpp"

namespace jitune::internal {

/// The sizes of a request, in the order of its template's `sizes`.
class ReduceSizes {
public:
    explicit ReduceSizes(const detail::ReduceShape& shape) {
        if (shape.kind == detail::ReduceShape::Kind::all) {
            sizes_[0] = shape.inner;
            count_ = 1;
        } else {
            sizes_ = {shape.outer, shape.inner};
            count_ = 2;
        }
    }
    [[nodiscard]] std::span<const std::int64_t> span() const { return {sizes_.data(), count_}; }
    /// With 0 for those that the shape does not have.
    [[nodiscard]] const CallSizes& all() const { return sizes_; }

private:
    CallSizes sizes_{};
    std::size_t count_;
};

/// The pointers of a call, in the order of its template's arrays.
class ReduceArrays {
public:
    explicit ReduceArrays(const detail::ReduceData& data)
        : arrays_{const_cast<void*>(data.values), data.results, data.results}, count_(2) {
        if (data.offsets != nullptr) {
            arrays_[1] = const_cast<std::int64_t*>(data.offsets);
            count_ = 3;
        }
    }
    [[nodiscard]] std::span<void* const> span() const { return {arrays_.data(), count_}; }

private:
    std::array<void*, 3> arrays_;
    std::size_t count_;
};

/// How many results a request has.
std::size_t result_count(const detail::ReduceShape& shape);

/// True where no element is combined, so that nothing is launched: each result is
/// value_of_nothing().
inline bool is_empty(const detail::ReduceShape& shape) {
    return shape.inner == 0 || shape.outer == 0;
}

/// Throws Error(usage) for more than 2^40 elements or results.
void refuse_bad_shape(const detail::ReduceShape& shape);

/// Throws Error(usage) that says which pointer is null or misaligned.
[[noreturn]] void throw_bad_data(const detail::ReduceRequest& request,
                                 const detail::ReduceData& data);

/// True for a pointer that is not null and is aligned to `bytes`, a power of two.
inline bool is_good_pointer(const void* pointer, std::size_t bytes) {
    return pointer != nullptr && (reinterpret_cast<std::uintptr_t>(pointer) & (bytes - 1)) == 0;
}

/// False for null or misaligned pointers.
inline bool is_good_data(const detail::ReduceRequest& request, const detail::ReduceData& data) {
    return is_good_pointer(data.values, bytes_of(request.element)) &&
           is_good_pointer(data.results, bytes_of(request.result)) &&
           (request.shape.kind != detail::ReduceShape::Kind::segments ||
            is_good_pointer(data.offsets, sizeof *data.offsets));
}

/// Throws Error(usage) for null or misaligned pointers.
inline void refuse_bad_data(const detail::ReduceRequest& request, const detail::ReduceData& data) {
    if (!is_good_data(request, data)) [[unlikely]] {
        throw_bad_data(request, data);
    }
}

/// The value of nothing for each result, bytes_of(request.result) bytes. Throws Error(usage) where
/// the operation has none; of segments arg_min and arg_max have -1.
std::array<std::byte, 8> nothing_of(const detail::ReduceRequest& request);

/// Enqueues the write of that value for each result; results in host memory are written at once.
void write_nothing(Device& device, const detail::ReduceRequest& request, void* results,
                   Stream stream);

/// A word for the text of a pinned configuration or a custom operation; never 0.
std::uint64_t variant_of(const Reduction& reduction);

/// Problems of equal words are answered by the same kernel for the same sizes.
inline ProblemWords reduce_words(const detail::ReduceRequest& request) {
    // What names a shape's kernel. Custom operations share it: they differ in the variant.
    static constexpr std::array<char, 4> kKernels{};
    const Reduction& reduction = request.reduction;
    const bool plain = reduction.custom == nullptr && reduction.configuration.empty();
    return {&kKernels[static_cast<std::size_t>(request.shape.kind)],
            static_cast<std::uint64_t>(request.element) |
                static_cast<std::uint64_t>(request.result) << 8 |
                static_cast<std::uint64_t>(reduction.op) << 16 |
                static_cast<std::uint64_t>(reduction.determinism) << 24 |
                static_cast<std::uint64_t>(row_alignment(request)) << 32,
            plain ? 0 : variant_of(reduction)};
}

DispatchKey reduce_key(const detail::ReduceRequest& request, const Device& device);

/// The engine's answer to a miss in its dispatch table.
const Resolved& resolve_reduce(Engine& engine, const DispatchKey& key, Device& device,
                               const detail::ReduceRequest& request);

}  // namespace jitune::internal
