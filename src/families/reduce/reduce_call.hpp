// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "dispatch/answer/call.hpp"
#include "dispatch/answer/call_check.hpp"
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
    /// The sizes, with 0 for those that the shape does not have.
    [[nodiscard]] const CallSizes& all() const { return sizes_; }

private:
    CallSizes sizes_{};
    std::size_t count_;
};

/// The arguments of a call, in the order of its template.
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
    [[nodiscard]] void* const* data() const { return arrays_.data(); }

private:
    std::array<void*, 3> arrays_;
    std::size_t count_;
};

/// True if no element is combined: nothing is launched, and each result is value_of_nothing().
inline bool is_empty(const detail::ReduceShape& shape) {
    return shape.inner == 0 || shape.outer == 0;
}

/// Throws Error(usage) for negative counts and for more than 2^40 elements or results.
void refuse_bad_shape(const detail::ReduceShape& shape);

/// True if the results share memory with the values or with the offsets.
inline bool results_overlap(const detail::ReduceRequest& request, const detail::ReduceData& data) {
    const detail::ReduceShape& shape = request.shape;
    const std::size_t bytes = result_count(shape) * bytes_of(request.result);
    const std::size_t offsets =
        data.offsets == nullptr ? 0 : static_cast<std::size_t>(shape.outer) + 1;
    return overlap(data.values, value_count(shape) * bytes_of(request.element), data.results,
                   bytes) ||
           overlap(data.offsets, offsets * sizeof *data.offsets, data.results, bytes);
}

/// Throws Error(usage) that says which pointer is null or misaligned, or what overlaps.
[[noreturn]] void throw_bad_data(const detail::ReduceRequest& request,
                                 const detail::ReduceData& data);

/// False for null or misaligned pointers, and for results that overlap what is read.
inline bool is_good_data(const detail::ReduceRequest& request, const detail::ReduceData& data) {
    return is_good_pointer(data.values, bytes_of(request.element)) &&
           is_good_pointer(data.results, bytes_of(request.result)) &&
           (request.shape.kind != detail::ReduceShape::Kind::segments ||
            is_good_pointer(data.offsets, sizeof *data.offsets)) &&
           !results_overlap(request, data);
}

/// Throws Error(usage) for data that is not good.
inline void refuse_bad_data(const detail::ReduceRequest& request, const detail::ReduceData& data) {
    if (!is_good_data(request, data)) [[unlikely]] {
        throw_bad_data(request, data);
    }
}

/// The result of no elements, bytes_of(request.result) bytes; for arg_min and arg_max of segments
/// -1. Throws Error(usage) if the operation has no such result.
std::array<std::byte, 8> nothing_of(const detail::ReduceRequest& request);

/// Enqueues the write of that value to each result. Results in host memory are written at once.
void write_nothing(Device& device, const detail::ReduceRequest& request, void* results,
                   Stream stream);

/// A hash of the text of a pinned configuration or a custom operation; never 0.
std::uint64_t variant_of(const Reduction& reduction);

/// Requests with equal words are answered by the same kernel for the same sizes.
inline ProblemWords reduce_words(const detail::ReduceRequest& request) {
    // One for each ReduceKind. Custom operations share it: they differ in the variant.
    static constexpr std::array<KernelTag, 4> kTags{};
    const Reduction& reduction = request.reduction;
    const bool plain = reduction.custom == nullptr && reduction.configuration.empty();
    return {&kTags[static_cast<std::size_t>(request.shape.kind)],
            static_cast<std::uint64_t>(request.element) |
                static_cast<std::uint64_t>(request.result) << 8 |
                static_cast<std::uint64_t>(reduction.op) << 16 |
                static_cast<std::uint64_t>(reduction.determinism) << 24 |
                static_cast<std::uint64_t>(row_alignment(request)) << 32,
            plain ? 0 : variant_of(reduction)};
}

/// A reduction that has elements. Refers to the request, which must outlive it.
class ReduceCall {
public:
    static constexpr const char* kFirstCall = "the first tuned_reduce of a problem";

    /// `data` may be empty if the call is not launched.
    explicit ReduceCall(const detail::ReduceRequest& request, const detail::ReduceData& data = {})
        : request_(request), data_(data), sizes_(request.shape) {}

    [[nodiscard]] CallKey memo_key(const StreamSite& site) const {
        return {site.serial(), reduce_words(request_), sizes_.all()};
    }
    [[nodiscard]] DispatchKey table_key(const Device& device) const {
        return {&device, reduce_words(request_), size_bucket(sizes_.span())};
    }
    [[nodiscard]] std::span<const std::int64_t> sizes() const { return sizes_.span(); }
    [[nodiscard]] ReduceArrays arguments() const { return ReduceArrays(data_); }
    /// Throws Error(usage) for a reduction that no kernel can do.
    const Resolved& answer(Engine& engine, const DispatchKey& key, Device& device) const;

private:
    const detail::ReduceRequest& request_;
    detail::ReduceData data_;
    ReduceSizes sizes_;
};

/// The engine's answer to a request that has elements.
inline const Resolved& resolve_reduce(Engine& engine, Device& device,
                                      const detail::ReduceRequest& request) {
    return resolve(engine, device, ReduceCall(request));
}

}  // namespace jitune::internal
