// SPDX-License-Identifier: Apache-2.0
#include "families/reduce/reduce_kernel.hpp"

#include <cmath>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

#include "fixtures/reduce_case.hpp"
#include "types/element_visit.hpp"

namespace jitune::internal {
namespace {

using namespace reduce_case;

TEST(ReduceWorkload, HasChecksOfBelowAMillionElementsForEveryProblem) {
    for (const ReduceKind kind : kKinds) {
        for (const E element : {E::int8, E::float64}) {
            for (int op = 0; op <= static_cast<int>(Op::custom); ++op) {
                std::size_t bytes = 0;
                for (const Case& one : checks_of(kind, types_of(element, Op(op)))) {
                    bytes += one.arguments[0].bytes;
                    EXPECT_EQ(one.arguments.size(), kind == ReduceKind::segments ? 3U : 2U);
                    EXPECT_NE(static_cast<bool>(one.judge), Op(op) == Op::custom);
                    EXPECT_NE(static_cast<bool>(one.judge), static_cast<bool>(one.agree));
                }
                EXPECT_LT(bytes / bytes_of(element), 1'000'000U);
            }
        }
    }
}

/// What a kernel gets that accumulates in `A`, each of its lanes in order, then lane by lane.
template <class A>
A accumulated(const Seen& seen, const ElementRun& run, std::size_t lanes) {
    const Op op = seen.types.op;
    const A none = op == Op::product ? A{1} : A{0};
    const auto combine = [&](A a, A b) { return op == Op::product ? a * b : a + b; };
    std::vector<A> partial(lanes, none);
    visit_element(seen.types.element, [&]<class T>(T) {
        for (std::size_t k = 0; k < run.count; ++k) {
            T value;
            std::memcpy(&value, seen.values.data() + run.at(k) * sizeof(T), sizeof value);
            const A x = static_cast<A>(value);
            const A mapped = op == Op::sum_abs                            ? std::abs(x)
                             : op == Op::sum_of_squares || op == Op::norm ? x * x
                                                                          : x;
            partial[k % lanes] = combine(partial[k % lanes], mapped);
        }
    });
    const A total = std::accumulate(partial.begin(), partial.end(), none, combine);
    return op == Op::mean   ? total / static_cast<A>(run.count)
           : op == Op::norm ? std::sqrt(total)
                            : total;
}

/// What a kernel gets for all results of a case that accumulates in float32.
Bytes accumulated_answer(const Seen& seen, std::size_t lanes) {
    Bytes results = seen.right_answer();
    visit_element(seen.types.result, [&]<class R>(R) {
        if constexpr (!std::is_integral_v<R>) {
            for (std::size_t i = 0; i < seen.layout.results(); ++i) {
                if (const ElementRun run = seen.layout.run(i); run.count > 0) {
                    const R value(accumulated<float>(seen, run, lanes));
                    std::memcpy(results.data() + i * sizeof value, &value, sizeof value);
                }
            }
        }
    });
    return results;
}

TEST(ReduceWorkload, AcceptsEveryOrderOfAFloatReduction) {
    for (const ReduceKind kind : kKinds) {
        for (const E element : {E::float16, E::bfloat16, E::float32}) {
            for (const Op op :
                 {Op::sum, Op::mean, Op::sum_abs, Op::sum_of_squares, Op::norm, Op::product}) {
                for (const E result : std::set{E::float32, element}) {
                    const ReduceTypes types{element, op, result};
                    for (const Case& one : checks_of(kind, types)) {
                        const Seen seen(kind, types, one);
                        for (const std::size_t lanes : {std::size_t{1}, std::size_t{37}}) {
                            const Bytes results = accumulated_answer(seen, lanes);
                            EXPECT_EQ(one.judge(std::span(&results, 1)), "")
                                << name(kind, types) << " " << one.name;
                        }
                    }
                }
            }
        }
    }
}

TEST(ReduceWorkload, KeepsResultsOf16BitsInRangeForTheLongestRuns) {
    for (const E element : {E::float16, E::bfloat16}) {
        for (const Op op : {Op::sum, Op::mean, Op::sum_abs, Op::sum_of_squares, Op::norm}) {
            for (const int log : {10, 21, 28, 33}) {
                const ReduceTypes types{element, op, element};
                const Case timed = ReduceWorkload(ReduceKind::all)
                                       .timed(problem_of(types, {(std::int64_t{1} << log) + 1}));
                const auto n = (std::int64_t{1} << log) + 1;
                const Bytes whole = reduce_reference(types, layout_of(ReduceKind::all, 1, n),
                                                     *timed.arguments[0].pattern)
                                        .values;
                const double value = largest_magnitude(element, whole);
                EXPECT_GT(value, 0) << to_string(op) << " 2^" << log;
                const Bytes infinite{std::byte{0x00}, std::byte{0x7c}};
                EXPECT_NE(element == E::float16 && whole == infinite, true) << to_string(op);
            }
        }
    }
}

TEST(ReduceWorkload, MisalignsItsDataByEachOffset) {
    std::set<std::size_t> misalignments;
    for (const Case& one : checks_of(ReduceKind::all, types_of(E::float32, Op::sum))) {
        misalignments.insert(one.arguments[0].offset / sizeof(float) % 4);
    }
    EXPECT_EQ(misalignments.size(), 4U);
}

TEST(ReduceWorkload, TimesTheProblemItself) {
    const auto expect_timed = [](ReduceKind kind, const ReduceTypes& types,
                                 const std::vector<std::int64_t>& sizes) {
        const Case timed = ReduceWorkload(kind).timed(problem_of(types, sizes));
        EXPECT_EQ(timed.sizes, sizes);
        const Seen seen(kind, types, timed);
        EXPECT_EQ(seen.values.size(), seen.layout.elements() * bytes_of(types.element));
        EXPECT_EQ(timed.arguments.back().bytes, seen.layout.results() * bytes_of(types.result));
        EXPECT_TRUE(seen.accepts(seen.right_answer())) << name(kind, types);
    };
    for (int op = 0; op < static_cast<int>(Op::custom); ++op) {
        const ReduceTypes types = types_of(E::float32, Op(op));
        expect_timed(ReduceKind::all, types, {1});
        expect_timed(ReduceKind::all, types, {1'500'000});
        expect_timed(ReduceKind::rows, types, {2, 1'050'000});
        expect_timed(ReduceKind::columns, types, {1'050'000, 2});
        expect_timed(ReduceKind::segments, types, {100, 1'100'000});
    }
}

TEST(ReduceWorkload, NeedsNoMoreMemoryForALargerProblem) {
    const Case timed = ReduceWorkload(ReduceKind::all)
                           .timed(problem_of(types_of(E::float32, Op::sum_abs), {1LL << 33}));
    EXPECT_EQ(timed.arguments[0].bytes, std::size_t{1} << 35);
    EXPECT_LT(timed.arguments[0].pattern->size(), std::size_t{1} << 23);
}

TEST(ReduceWorkload, NoticesALostTileOfTheLargestSums) {
    constexpr std::int64_t kTile = 4096;
    for (const Op op : {Op::sum_abs, Op::sum_of_squares, Op::norm}) {
        const ReduceTypes types = types_of(E::float32, op);
        const std::int64_t n = 1LL << 30;
        const Case timed = ReduceWorkload(ReduceKind::all).timed(problem_of(types, {n}));
        const auto of_first = [&](std::int64_t count) {
            return reduce_reference(types, layout_of(ReduceKind::all, 1, count),
                                    *timed.arguments[0].pattern)
                .values;
        };
        const Bytes whole = of_first(n);
        const Bytes without = of_first(n - kTile);
        EXPECT_EQ(timed.judge(std::span(&whole, 1)), "") << to_string(op);
        EXPECT_NE(timed.judge(std::span(&without, 1)), "") << to_string(op);
    }
}

TEST(ReduceWorkload, ComparesCustomOperationsWithTheReferenceLaunch) {
    const ReduceTypes types{E::float32, Op::custom, E::float32};
    const ReduceWorkload workload(ReduceKind::rows, 0.01);
    const Case timed = workload.timed(problem_of(types, {3, 100}));
    const auto verdict = [&](const std::vector<float>& got, const std::vector<float>& reference) {
        std::vector<Bytes> outputs(2, Bytes(12));
        std::memcpy(outputs[0].data(), got.data(), 12);
        std::memcpy(outputs[1].data(), reference.data(), 12);
        return timed.agree(std::span(outputs).first(1), std::span(outputs).last(1));
    };
    EXPECT_EQ(verdict({1, 100, NAN}, {1, 100.5F, NAN}), "");
    EXPECT_TRUE(verdict({1, 100, 2}, {1, 102, 2})
                    .starts_with("row 1: got 100, expected 102 (the plain kernel's result)"));
    EXPECT_EQ(verdict({1e-4F, 100, 2}, {0, 100, 2}), "");
    EXPECT_NE(verdict({1e-2F, 100, 2}, {0, 100, 2}), "");
    EXPECT_NE(verdict({1, 100, 2}, {1, 100, NAN}), "");
}

TEST(ReduceWorkload, ComparesExactCustomOperationsExactly) {
    const ReduceTypes types{E::int8, Op::custom, E::int64};
    const Case timed = ReduceWorkload(ReduceKind::all).timed(problem_of(types, {1000}));
    const std::vector<Bytes> one(1, Bytes(8, std::byte{1}));
    const std::vector<Bytes> other(1, Bytes(8, std::byte{2}));
    EXPECT_EQ(timed.agree(one, one), "");
    EXPECT_NE(timed.agree(one, other), "");
}

TEST(ReduceWorkload, RefusesUnsupportedTypes) {
    Problem problem = problem_of(types_of(E::float32, Op::sum), {100});
    problem.types["element"] = "float8";
    EXPECT_THROW(ReduceWorkload(ReduceKind::all).timed(problem), Error);
    problem = problem_of(types_of(E::float32, Op::sum), {100});
    problem.types["operation"] = "avg";
    EXPECT_THROW(ReduceWorkload(ReduceKind::all).checks(problem), Error);
}

}  // namespace
}  // namespace jitune::internal
