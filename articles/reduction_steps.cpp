// SPDX-License-Identifier: Apache-2.0
#include "articles/reduction_steps.hpp"

#include <array>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "families/reduce/reduce_kernel.hpp"
#include "families/reduce/reduce_workload.hpp"
#include "jitune/error.hpp"
#include "template/template_headers.hpp"

namespace jitune::internal {

namespace {

constexpr std::string_view kNotes = "study notes";
constexpr std::string_view kVectorSum = "vector sum";
constexpr std::string_view kLecture = "lecture";

constexpr std::string_view kTreeFile = "study_notes_tree.cu";
constexpr std::string_view kShuffleFile = "study_notes_shuffle.cu";
constexpr std::string_view kVectorSumFile = "vector_sum.cu";
constexpr std::string_view kLectureFile = "lecture.cu";

constexpr std::array kSteps{
    ReductionStep{kNotes, "v0", "baseline: a tree with a remainder", kTreeFile},
    ReductionStep{kNotes, "v1", "interleaved addressing", kTreeFile},
    ReductionStep{kNotes, "v1_5", "v0 with a mask for the remainder", kTreeFile},
    ReductionStep{kNotes, "v2", "sequential addressing", kTreeFile},
    ReductionStep{kNotes, "v3", "an addition while loading", kTreeFile},
    ReductionStep{kNotes, "v4", "last warp unrolled, CC < 7.0", kTreeFile},
    ReductionStep{kNotes, "v4_1", "last warp unrolled, CC >= 7.0", kTreeFile},
    ReductionStep{kNotes, "v4_2", "last warp by shuffles", kTreeFile},
    ReductionStep{kNotes, "v5", "v4 completely unrolled", kTreeFile},
    ReductionStep{kNotes, "v6", "more elements for each thread", kTreeFile},
    ReductionStep{kNotes, "v7", "PyTorch's BlockReduceSum", kShuffleFile},
    ReductionStep{kNotes, "v7_expanded", "v7 with one barrier", kShuffleFile},
    ReductionStep{kNotes, "v8", "packs, grid of GetNumBlocks", kShuffleFile},
    ReductionStep{kVectorSum, "kernel_0", "baseline: two passes", kVectorSumFile},
    ReductionStep{kVectorSum, "kernel_1", "warp barriers at the end", kVectorSumFile},
    ReductionStep{kVectorSum, "kernel_2", "one pass with atomics", kVectorSumFile},
    ReductionStep{kVectorSum, "kernel_3", "a batch for each thread", kVectorSumFile},
    ReductionStep{kVectorSum, "kernel_4", "vector loads", kVectorSumFile},
    ReductionStep{kLecture, "reduce0", "halvings in global memory", kLectureFile},
    ReductionStep{kLecture, "reduce1", "strides, a sum for each thread", kLectureFile},
    ReductionStep{kLecture, "reduce2", "strides, then shared memory", kLectureFile},
    ReductionStep{kLecture, "reduce3", "blocks of any size", kLectureFile},
    ReductionStep{kLecture, "reduce4", "halvings written out", kLectureFile},
};

Kernel load_kernel(std::string_view name) {
    return {KernelTemplate(embedded_template(embedded::articles, name)),
            std::make_unique<ReduceWorkload>(ReduceKind::all)};
}

}  // namespace

std::span<const ReductionStep> reduction_steps() {
    return kSteps;
}

const Kernel& step_kernel(const ReductionStep& step) {
    static const auto kernels = [] {
        std::map<std::string_view, Kernel> made;
        for (const ReductionStep& one : kSteps) {
            if (!made.contains(one.template_name)) {
                made.emplace(one.template_name, load_kernel(one.template_name));
            }
        }
        return made;
    }();
    return kernels.at(step.template_name);
}

void refuse_other_types(ElementType type) {
    if (type != ElementType::float32 && type != ElementType::int32) {
        throw Error(ErrorKind::usage,
                    fmt::format("the steps sum float32 and int32, not {}", to_string(type)));
    }
}

Problem step_problem(const ReductionStep& step, ElementType type, std::int64_t n) {
    refuse_other_types(type);
    Problem problem =
        reduce_problem({type, type, Reduction(ReduceOp::sum), detail::ReduceShape::all(n)});
    problem.kernel = step_kernel(step).kernel_template.front_matter().kernel;
    problem.types["step"] = step.name;
    return problem;
}

std::string free_parameters(const Configuration& configuration, const SearchSpace& space) {
    std::vector<Configuration::Entry> open;
    for (const Configuration::Entry& entry : configuration.entries()) {
        for (std::size_t i = 0; i < space.size(); ++i) {
            if (space.at(i).at(entry.first) != entry.second) {
                open.push_back(entry);
                break;
            }
        }
    }
    return Configuration(std::move(open)).text();
}

}  // namespace jitune::internal
