// SPDX-License-Identifier: Apache-2.0
#include "reduce_compare/check_results.hpp"

#include "reduce_compare/answer.hpp"
#include "reduce_compare/shaped_reference.hpp"

namespace jitune::bench {

namespace {

ResultCheck flat_check(const Arena& arena, const Cell& cell, const Slices& slices) {
    const Problem problem = cell.problem;
    std::vector<Answer> expected;
    for (const Moments& each : moments(values_for(problem.element, problem.op), slices.starts,
                                       problem.elements(), arena.stream())) {
        expected.push_back(expected_answer(problem, each));
    }
    return [&arena, problem, slices, expected] {
        std::vector<std::byte> results(expected.size() * slices.result_stride);
        cuda_call(cudaMemcpyAsync(results.data(), arena.results().data(), results.size(),
                                  cudaMemcpyDeviceToHost, arena.stream()),
                  "copy results");
        arena.synchronize();
        const ElementType type = result_type(problem.element, problem.op);
        bool right = true;
        for (std::size_t call = 0; call < expected.size(); ++call) {
            const Answer got = read_answer(type, results.data() + call * slices.result_stride);
            right = right && agrees(expected[call], got);
        }
        return right;
    };
}

ResultCheck shaped_check(const Arena& arena, const Cell& cell, const Slices& slices,
                         const std::int64_t* offsets) {
    const auto reference = std::make_shared<ShapedReference>(
        cell.problem, values_for(cell.problem.element, cell.problem.op), slices.starts, offsets,
        arena.stream());
    return [&arena, slices, reference] {
        std::size_t mistakes = 0;
        for (std::size_t call = 0; call < slices.starts.size(); ++call) {
            mistakes += reference->mistakes(
                call, arena.results().data() + call * slices.result_stride, arena.stream());
        }
        return mistakes == 0;
    };
}

}  // namespace

ResultCheck result_check(const Arena& arena, const Cell& cell, const Slices& slices,
                         const std::int64_t* offsets) {
    return cell.problem.shape == Shape::flat ? flat_check(arena, cell, slices)
                                             : shaped_check(arena, cell, slices, offsets);
}

}  // namespace jitune::bench
