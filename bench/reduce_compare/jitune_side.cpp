// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "jitune/reduce.hpp"
#include "jitune/reduce_shapes.hpp"
#include "reduce_compare/side.hpp"

namespace jitune::bench {

namespace {

const CustomOperation& log_sum_exp() {
    static const CustomOperation operation = [] {
        CustomOperation made;
        made.name = "log_sum_exp";
        made.definitions = "struct Pair { float top, sum; };";
        made.state = "Pair";
        made.identity = "Pair{-1e38f, 0.0f}";
        made.map = "Pair{x, 1.0f}";
        made.combine =
            "a.top < b.top ? Pair{b.top, b.sum + a.sum * __expf(a.top - b.top)}"
            " : Pair{a.top, a.sum + b.sum * __expf(b.top - a.top)}";
        made.finish = "a.top + __logf(a.sum)";
        return made;
    }();
    return operation;
}

struct Request {
    const Problem& problem;
    const std::int64_t* offsets;
    cudaStream_t stream;
    Session& session;

    [[nodiscard]] Reduction reduction() const {
        return problem.op == ReduceOp::custom ? Reduction(log_sum_exp()) : Reduction(problem.op);
    }
};

std::string described(const DispatchInfo& info) {
    return fmt::format("{} ({})", info.configuration, to_string(info.origin));
}

/// A side whose handle takes values and results alone.
template <class T, class R>
Side plain_side(PreparedReduce<T, R> handle, cudaStream_t stream, Call plain) {
    const auto prepared = std::make_shared<PreparedReduce<T, R>>(std::move(handle));
    return {[prepared, stream](const void* values, void* results) {
                (*prepared)(static_cast<const T*>(values), static_cast<R*>(results), stream);
            },
            std::move(plain), described(prepared->info())};
}

template <class T, class R>
Side flat_side(const Request& request) {
    const auto [n, reduction] = std::pair(request.problem.elements(), request.reduction());
    const cudaStream_t stream = request.stream;
    Session& session = request.session;
    return plain_side(prepare_reduce<T, R>(n, reduction, {}, session), stream,
                      [=, &session](const void* values, void* results) {
                          tuned_reduce(static_cast<const T*>(values), n, static_cast<R*>(results),
                                       reduction, stream, session);
                      });
}

template <class T, class R>
Side rows_side(const Request& request) {
    const auto [rows, columns] = std::pair(request.problem.outer, request.problem.inner);
    const Reduction reduction = request.reduction();
    const cudaStream_t stream = request.stream;
    Session& session = request.session;
    return plain_side(prepare_reduce_rows<T, R>(rows, columns, reduction, {}, session), stream,
                      [=, &session](const void* values, void* results) {
                          tuned_reduce_rows(static_cast<const T*>(values), rows, columns,
                                            static_cast<R*>(results), reduction, stream, session);
                      });
}

template <class T, class R>
Side columns_side(const Request& request) {
    const auto [rows, columns] = std::pair(request.problem.outer, request.problem.inner);
    const Reduction reduction = request.reduction();
    const cudaStream_t stream = request.stream;
    Session& session = request.session;
    return plain_side(prepare_reduce_columns<T, R>(rows, columns, reduction, {}, session), stream,
                      [=, &session](const void* values, void* results) {
                          tuned_reduce_columns(static_cast<const T*>(values), rows, columns,
                                               static_cast<R*>(results), reduction, stream,
                                               session);
                      });
}

template <class T, class R>
Side segments_side(const Request& request) {
    const auto [segments, n] = std::pair(request.problem.outer, request.problem.elements());
    const Reduction reduction = request.reduction();
    const std::int64_t* offsets = request.offsets;
    const cudaStream_t stream = request.stream;
    Session& session = request.session;
    const auto prepared = std::make_shared<PreparedSegmentedReduce<T, R>>(
        prepare_reduce_segments<T, R>(n, segments, reduction, {}, session));
    return {[=](const void* values, void* results) {
                (*prepared)(static_cast<const T*>(values), offsets, static_cast<R*>(results),
                            stream);
            },
            [=, &session](const void* values, void* results) {
                tuned_reduce_segments(static_cast<const T*>(values), n, offsets, segments,
                                      static_cast<R*>(results), reduction, stream, session);
            },
            described(prepared->info())};
}

using MakeSide = Side (*)(const Request&);

template <class T, class R>
Side shaped_side(const Request& request) {
    constexpr std::array<MakeSide, 6> kByShape{flat_side<T, R>,     rows_side<T, R>,
                                               columns_side<T, R>,  segments_side<T, R>,
                                               segments_side<T, R>, segments_side<T, R>};
    return kByShape.at(static_cast<std::size_t>(request.problem.shape))(request);
}

template <class T>
Side element_side(const Request& request) {
    using Reduced = ReducedType<T>;
    using Real = std::conditional_t<std::is_floating_point_v<Reduced>, Reduced, double>;
    switch (request.problem.op) {
        case ReduceOp::mean:
        case ReduceOp::norm:
            return shaped_side<T, Real>(request);
        case ReduceOp::arg_min:
        case ReduceOp::arg_max:
        case ReduceOp::count_nonzero:
            return shaped_side<T, std::int64_t>(request);
        case ReduceOp::all:
        case ReduceOp::any:
            return shaped_side<T, std::uint8_t>(request);
        default:
            return shaped_side<T, Reduced>(request);
    }
}

/// By ElementType.
constexpr std::array<MakeSide, 12> kByElement{
    element_side<std::int8_t>,   element_side<std::uint8_t>,  element_side<std::int16_t>,
    element_side<std::uint16_t>, element_side<std::int32_t>,  element_side<std::uint32_t>,
    element_side<std::int64_t>,  element_side<std::uint64_t>, element_side<float16>,
    element_side<bfloat16>,      element_side<float>,         element_side<double>};

}  // namespace

Side jitune_side(const Problem& problem, const std::int64_t* offsets, cudaStream_t stream,
                 Session& session) {
    return kByElement.at(static_cast<std::size_t>(problem.element))(
        {problem, offsets, stream, session});
}

}  // namespace jitune::bench
