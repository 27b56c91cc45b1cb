// SPDX-License-Identifier: Apache-2.0
#include "families/reduce/reduce_call.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include <fmt/format.h>

#include "families/reduce/custom_operation.hpp"
#include "families/reduce/reduce_types.hpp"
#include "support/hash.hpp"

namespace jitune::internal {

namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 40;

void refuse_bad_pointer(const void* pointer, std::size_t bytes, const char* what) {
    if (pointer == nullptr) {
        throw Error(ErrorKind::usage, fmt::format("reduce: {} is a null pointer", what));
    }
    if (!is_good_pointer(pointer, bytes)) {
        throw Error(
            ErrorKind::usage,
            fmt::format("reduce: the pointer to {} is not aligned to {} bytes", what, bytes));
    }
}

}  // namespace

std::uint64_t variant_of(const Reduction& reduction) {
    const std::uint64_t operation =
        reduction.custom == nullptr ? 0 : fingerprint(*reduction.custom);
    return quick_hash(reduction.configuration, operation) | 1;
}

std::size_t result_count(const detail::ReduceShape& shape) {
    return static_cast<std::size_t>(shape.kind == ReduceKind::columns ? shape.inner : shape.outer);
}

void refuse_bad_shape(const detail::ReduceShape& shape) {
    const auto refuse = [&](const char* why) {
        const bool matrix = shape.kind == ReduceKind::rows || shape.kind == ReduceKind::columns;
        throw Error(ErrorKind::usage,
                    matrix
                        ? fmt::format("reduce {} x {} elements: {}", shape.outer, shape.inner, why)
                    : shape.kind == ReduceKind::segments
                        ? fmt::format("reduce {} segments of {} elements: {}", shape.outer,
                                      shape.inner, why)
                        : fmt::format("reduce {} elements: {}", shape.inner, why));
    };
    if (shape.outer < 0 || shape.inner < 0) [[unlikely]] {
        refuse("counts must not be negative");
    }
    const bool matrix = shape.kind == ReduceKind::rows || shape.kind == ReduceKind::columns;
    const std::int64_t most_inner =
        matrix && shape.outer > 1 ? kMostElements / shape.outer : kMostElements;
    if (shape.outer > kMostElements || shape.inner > most_inner) [[unlikely]] {
        refuse("at most 2^40");
    }
}

void throw_bad_data(const detail::ReduceRequest& request, const detail::ReduceData& data) {
    refuse_bad_pointer(data.values, bytes_of(request.element), "the values");
    refuse_bad_pointer(data.results, bytes_of(request.result), "the result");
    refuse_bad_pointer(data.offsets, sizeof *data.offsets, "the offsets");
    throw Error(ErrorKind::usage, "reduce: an element or result type that is none");
}

std::array<std::byte, 8> nothing_of(const detail::ReduceRequest& request) {
    const ReduceOp op = request.reduction.op;
    accumulator_of(request.element, op, request.result);
    if (request.shape.kind == ReduceKind::segments &&
        (op == ReduceOp::arg_min || op == ReduceOp::arg_max)) {
        return std::bit_cast<std::array<std::byte, 8>>(std::int64_t{-1});
    }
    return value_of_nothing(request.reduction.op, request.result);
}

void write_nothing(Device& device, const detail::ReduceRequest& request, void* results,
                   Stream stream) {
    if (result_count(request.shape) == 0) {
        return;
    }
    refuse_bad_pointer(results, bytes_of(request.result), "the result");
    const auto value = nothing_of(request);
    device.write(results, std::span(value).first(bytes_of(request.result)),
                 result_count(request.shape), stream);
}

DispatchKey reduce_key(const detail::ReduceRequest& request, const Device& device) {
    return {&device, reduce_words(request), size_bucket(ReduceSizes(request.shape).span())};
}

const Resolved& resolve_reduce(Engine& engine, const DispatchKey& key, Device& device,
                               const detail::ReduceRequest& request) {
    const Reduction& reduction = request.reduction;
    to_string(reduction.determinism);  // throws for a number that is none
    if ((reduction.op == ReduceOp::custom) != (reduction.custom != nullptr)) {
        throw Error(ErrorKind::usage,
                    "reduce: ReduceOp::custom needs a CustomOperation: make the Reduction from it");
    }
    if (reduction.custom != nullptr && reduction.custom->result != request.result) {
        throw Error(
            ErrorKind::usage,
            fmt::format("reduce: the custom operation {} gives {}, not {}", reduction.custom->name,
                        to_string(reduction.custom->result), to_string(request.result)));
    }
    if ((reduction.determinism == Determinism::pinned) == reduction.configuration.empty()) {
        throw Error(
            ErrorKind::usage,
            "reduce: Determinism::pinned and a configuration come together: "
            "Reduction(op, \"block=256 ...\") with the text of DispatchInfo::configuration");
    }
    const Problem problem = reduce_problem(request);
    const PlatformKind platform = device.info().platform;
    if (reduction.custom != nullptr) {
        const Kernel kernel = custom_reduce_kernel(request.shape.kind, platform, *reduction.custom);
        return engine.resolve(key, {device, kernel, problem});
    }
    return engine.resolve(key, {device, reduce_kernel(request.shape.kind, platform), problem});
}

}  // namespace jitune::internal
