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

constexpr std::string_view kCall = "reduce";

/// "3 x 4 elements".
std::string text_of(const detail::ReduceShape& shape) {
    switch (shape.kind) {
        case ReduceKind::all:
            return fmt::format("{} elements", shape.inner);
        case ReduceKind::segments:
            return fmt::format("{} segments of {} elements", shape.outer, shape.inner);
        default:
            return fmt::format("{} x {} elements", shape.outer, shape.inner);
    }
}

/// Throws Error(usage) for parts of a reduction that contradict each other.
void refuse_bad_reduction(const detail::ReduceRequest& request) {
    const Reduction& reduction = request.reduction;
    to_string(reduction.determinism);  // throws for a value outside the enum
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
}

}  // namespace

std::uint64_t variant_of(const Reduction& reduction) {
    const std::uint64_t operation =
        reduction.custom == nullptr ? 0 : fingerprint(*reduction.custom);
    return quick_hash(reduction.configuration, operation) | 1;
}

void refuse_bad_shape(const detail::ReduceShape& shape) {
    const bool matrix = shape.kind == ReduceKind::rows || shape.kind == ReduceKind::columns;
    const std::int64_t most_inner =
        matrix && shape.outer > 1 ? kMostElements / shape.outer : kMostElements;
    const bool negative = shape.outer < 0 || shape.inner < 0;
    if (negative || shape.outer > kMostElements || shape.inner > most_inner) [[unlikely]] {
        throw Error(ErrorKind::usage,
                    fmt::format("reduce {}: {}", text_of(shape),
                                negative ? "counts must not be negative" : "at most 2^40"));
    }
}

void throw_bad_data(const detail::ReduceRequest& request, const detail::ReduceData& data) {
    if (bytes_of(request.element) == 0 || bytes_of(request.result) == 0) {
        throw Error(ErrorKind::usage, "reduce: invalid ElementType value");
    }
    refuse_bad_pointer(kCall, "the input", data.values, bytes_of(request.element));
    refuse_bad_pointer(kCall, "the result", data.results, bytes_of(request.result));
    if (request.shape.kind == ReduceKind::segments) {
        refuse_bad_pointer(kCall, "the array of offsets", data.offsets, sizeof *data.offsets);
    }
    throw Error(ErrorKind::usage,
                "reduce: the results overlap the values or the offsets: give them memory of their "
                "own");
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
    refuse_bad_pointer(kCall, "the result", results, bytes_of(request.result));
    const auto value = nothing_of(request);
    device.write(results, std::span(value).first(bytes_of(request.result)),
                 result_count(request.shape), stream);
}

const Resolved& ReduceCall::answer(Engine& engine, const DispatchKey& key, Device& device) const {
    refuse_bad_reduction(request_);
    const CustomOperation* const custom = request_.reduction.custom;
    const Problem problem = reduce_problem(request_);
    const PlatformKind platform = device.info().platform;
    if (custom != nullptr) {
        const Kernel kernel = custom_reduce_kernel(request_.shape.kind, platform, *custom);
        return engine.resolve(key, {device, kernel, problem});
    }
    return engine.resolve(key, {device, reduce_kernel(request_.shape.kind, platform), problem});
}

}  // namespace jitune::internal
