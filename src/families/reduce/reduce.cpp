// SPDX-License-Identifier: Apache-2.0
#include "jitune/reduce.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>

#include <fmt/format.h>

#include "dispatch/session_access.hpp"
#include "families/reduce/reduce_call.hpp"
#include "families/reduce/small_reduction.hpp"
#include "jitune/reduce_shapes.hpp"
#include "spread/machine.hpp"

namespace jitune::internal {

namespace {

using detail::ReduceData;
using detail::ReduceRequest;

/// Launches again what this thread has launched before. Returns false for a new call and for bad
/// data.
inline bool launch_known(const StreamSite& site, const ReduceRequest& request,
                         const ReduceData& data, Stream stream) {
    return is_good_data(request, data) &&
           internal::launch_known(site, ReduceCall(request, data), stream);
}

/// Takes a shape that has elements, and good data.
void launch_new(Engine& engine, StreamSite& site, const ReduceRequest& request,
                const ReduceData& data, Stream stream) {
    const ReduceCall call(request, data);
    internal::launch_new(site, call, resolve(engine, site, call), stream);
}

/// Writes the result of no elements to `results` in host memory.
void fill_with_nothing(const ReduceRequest& request, void* results) {
    if (result_count(request.shape) == 0) {
        return;
    }
    const auto value = nothing_of(request);
    const std::size_t bytes = bytes_of(request.result);
    refuse_bad_pointer("reduce", "the result", results, bytes);
    for (std::size_t i = 0; i < result_count(request.shape); ++i) {
        std::memcpy(static_cast<std::byte*>(results) + i * bytes, value.data(), bytes);
    }
}

/// Reduces host memory on a GPU: copies it there and the results back, on a stream of its own.
void reduce_copied(Engine& engine, Device& device, const ReduceRequest& request,
                   const ReduceData& data) {
    constexpr std::chrono::hours kLimit{1};
    const Resolved& resolved = resolve_reduce(engine, device, request);
    const detail::ReduceShape& shape = request.shape;
    const auto bench = device.make_bench();
    const auto copied = [&](const void* from, std::int64_t count, std::size_t element_bytes) {
        const std::size_t bytes = static_cast<std::size_t>(count) * element_bytes;
        auto memory = bench->allocate(bytes);
        bench->upload(memory->data(), {static_cast<const std::byte*>(from), bytes});
        return memory;
    };
    const bool segments = shape.kind == ReduceKind::segments;
    const auto values = copied(data.values, segments ? shape.inner : shape.inner * shape.outer,
                               bytes_of(request.element));
    const auto offsets =
        segments ? copied(data.offsets, shape.outer + 1, sizeof *data.offsets) : nullptr;
    const std::size_t bytes = result_count(shape) * bytes_of(request.result);
    const auto results = bench->allocate(bytes);

    const LaunchRule::Plan plan = resolved.rule.plan(ReduceSizes(shape).span());
    const auto plain = bench->allocate(std::max<std::size_t>(plan.scratch.plain, 1));
    const auto zeroed = bench->allocate(std::max<std::size_t>(plan.scratch.zeroed, 1));
    bench->fill(zeroed->data(), std::byte{0}, zeroed->bytes());
    const ReduceArrays arrays(
        {values->data(),
         offsets == nullptr ? nullptr : static_cast<const std::int64_t*>(offsets->data()),
         results->data()});
    const Launch bound = resolved.rule.bind(plan, arrays.span(), {plain->data(), zeroed->data()});
    if (const auto failure = bench->run(*resolved.program, bound, kLimit)) {
        throw Error(ErrorKind::device, "reduce host memory on a GPU: " + failure->reason,
                    failure->native_code);
    }
    bench->download({static_cast<std::byte*>(data.results), bytes}, results->data());
}

}  // namespace

}  // namespace jitune::internal

JITUNE_BEGIN_NAMESPACE
using namespace internal;
namespace detail {

void reduce_host(Session& session, const ReduceRequest& request, const ReduceData& data) try {
    Engine& engine = SessionAccess::engine(session);
    engine.refuse_fork();
    if (reduce_small(engine, request, data)) {
        return;
    }
    StreamSite* const site = host_data_site(engine, kReduceFamily);
    if (site != nullptr && launch_known(*site, request, data, nullptr)) {
        return;
    }
    refuse_bad_shape(request.shape);
    if (is_empty(request.shape)) {
        return fill_with_nothing(request, data.results);
    }
    refuse_bad_data(request, data);
    if (site != nullptr) {
        return launch_new(engine, *site, request, data, nullptr);
    }
    reduce_copied(engine, engine.device(engine.options().device), request, data);
} catch (...) {
    throw_as_error();
}

void reduce_device(Session& session, const ReduceRequest& request, const void* values, void* result,
                   CUstream_st* stream) try {
    Engine& engine = SessionAccess::engine(session);
    engine.refuse_fork();
    refuse_bad_shape(request.shape);
    if (is_empty(request.shape)) {
        return fill_with_nothing(request, result);
    }
    refuse_bad_data(request, {values, nullptr, result});
    StreamSite& site = device_data_site(engine, stream, [] {});
    site.refuse_capture("tuned_reduce that returns a value");
    const std::size_t bytes = bytes_of(request.result);
    const auto memory = site.device().allocate(bytes);
    const ReduceData there{values, nullptr, memory->data()};
    if (!launch_known(site, request, there, stream)) {
        launch_new(engine, site, request, there, stream);
    }
    site.device().read_back({static_cast<std::byte*>(result), bytes}, memory->data(), stream);
} catch (...) {
    throw_as_error();
}

void reduce_device_async(Session& session, const ReduceRequest& request, const ReduceData& data,
                         CUstream_st* stream) try {
    Engine& engine = SessionAccess::engine(session);
    engine.refuse_fork();
    StreamSite& site = device_data_site(engine, stream, [&] {
        refuse_bad_request(request);
        if (!is_empty(request.shape)) {
            refuse_bad_data(request, data);
        }
    });
    if (launch_known(site, request, data, stream)) [[likely]] {
        return;
    }
    refuse_bad_shape(request.shape);
    if (is_empty(request.shape)) {
        return write_nothing(site.device(), request, data.results, stream);
    }
    refuse_bad_data(request, data);
    launch_new(engine, site, request, data, stream);
} catch (...) {
    throw_as_error();
}

bool reduce_host_known(Session& session, const ReduceRequest& request, const ReduceData& data) try {
    Engine& engine = SessionAccess::engine(session);
    engine.refuse_fork();
    if (reduce_small(engine, request, data)) {
        return true;
    }
    const StreamSite* const site = host_data_site(engine, kReduceFamily);
    return site != nullptr && launch_known(*site, request, data, nullptr);
} catch (...) {
    throw_as_error();
}

bool reduce_device_known(Session& session, const ReduceRequest& request, const ReduceData& data,
                         CUstream_st* stream) try {
    Engine& engine = SessionAccess::engine(session);
    engine.refuse_fork();
    return launch_known(engine.cuda().site(stream), request, data, stream);
} catch (...) {
    throw_as_error();
}

void refuse_bad_request(const ReduceRequest& request) {
    refuse_bad_shape(request.shape);
    if (is_empty(request.shape)) {
        nothing_of(request);  // throws for an operation without such a result
    }
}

void refuse_bad_matrix(std::int64_t size, std::int64_t rows, std::int64_t columns) {
    refuse_bad_shape(ReduceShape::rows(rows, columns));
    if (rows * columns != size) {
        throw Error(ErrorKind::usage,
                    fmt::format("reduce: got {} values for a {} x {} matrix", size, rows, columns));
    }
}

void refuse_bad_offsets(std::span<const std::int64_t> offsets, std::int64_t size) {
    if (offsets.empty()) {
        throw Error(ErrorKind::usage,
                    "reduce segments: no offsets: give one more than there are segments");
    }
    std::int64_t last = 0;
    for (std::size_t i = 0; i < offsets.size(); ++i) {
        if (offsets[i] < last || offsets[i] > size) {
            throw Error(ErrorKind::usage,
                        fmt::format("reduce segments: offset {} is {}: offsets must not decrease "
                                    "and must lie in [0, {}]",
                                    i, offsets[i], size));
        }
        last = offsets[i];
    }
}

}  // namespace detail

JITUNE_END_NAMESPACE
