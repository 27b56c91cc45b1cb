// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "articles/step.hpp"
#include "families/entropy/entropy_call.hpp"
#include "families/entropy/entropy_kernel.hpp"
#include "families/reduce/reduce_kernel.hpp"
#include "families/stencil/stencil_kernel.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

using enum PlatformKind;

constexpr std::string_view kOwn = "jitune";
constexpr std::string_view kWinner = "the tuned winner";

constexpr std::string_view kNotes = "study notes";
constexpr std::string_view kTree = "study_notes_tree.cu";
constexpr std::string_view kShuffle = "study_notes_shuffle.cu";
constexpr std::string_view kVector = "vector sum";
constexpr std::string_view kVectorFile = "vector_sum.cu";
constexpr std::string_view kLecture = "lecture";
constexpr std::string_view kLectureFile = "lecture.cu";

constexpr std::array kReductionSteps{
    Step{kNotes, "v0", "baseline: a tree with a remainder", cuda, kTree},
    Step{kNotes, "v1", "interleaved addressing", cuda, kTree},
    Step{kNotes, "v1_5", "v0 with a mask for the remainder", cuda, kTree},
    Step{kNotes, "v2", "sequential addressing", cuda, kTree},
    Step{kNotes, "v3", "an addition while loading", cuda, kTree},
    Step{kNotes, "v4", "last warp unrolled, CC < 7.0", cuda, kTree},
    Step{kNotes, "v4_1", "last warp unrolled, CC >= 7.0", cuda, kTree},
    Step{kNotes, "v4_2", "last warp by shuffles", cuda, kTree},
    Step{kNotes, "v5", "v4 completely unrolled", cuda, kTree},
    Step{kNotes, "v6", "more elements for each thread", cuda, kTree},
    Step{kNotes, "v7", "PyTorch's BlockReduceSum", cuda, kShuffle},
    Step{kNotes, "v7_expanded", "v7 with one barrier", cuda, kShuffle},
    Step{kNotes, "v8", "packs, grid of GetNumBlocks", cuda, kShuffle},
    Step{kVector, "kernel_0", "baseline: two passes", cuda, kVectorFile},
    Step{kVector, "kernel_1", "warp barriers at the end", cuda, kVectorFile},
    Step{kVector, "kernel_2", "one pass with atomics", cuda, kVectorFile},
    Step{kVector, "kernel_3", "a batch for each thread", cuda, kVectorFile},
    Step{kVector, "kernel_4", "vector loads", cuda, kVectorFile},
    Step{kLecture, "reduce0", "halvings in global memory", cuda, kLectureFile},
    Step{kLecture, "reduce1", "strides, a sum for each thread", cuda, kLectureFile},
    Step{kLecture, "reduce2", "strides, then shared memory", cuda, kLectureFile},
    Step{kLecture, "reduce3", "blocks of any size", cuda, kLectureFile},
    Step{kLecture, "reduce4", "halvings written out", cuda, kLectureFile},
    Step{kOwn, "reduce", kWinner, cuda, ""},
};

constexpr std::string_view kCache = "register cache";
constexpr std::string_view kCacheFile = "stencil.cu";
constexpr std::string_view kShared = "inputs in shared memory";
constexpr std::string_view kShuffles = "inputs in registers, by shuffles";

// Each kernel with 1 to 8 outputs for each thread: the article's thread coarsening.
constexpr std::array kStencilSteps{
    Step{kCache, "shared", kShared, cuda, kCacheFile, 1},
    Step{kCache, "register_cache", kShuffles, cuda, kCacheFile, 1},
    Step{kCache, "shared", kShared, cuda, kCacheFile, 2},
    Step{kCache, "register_cache", kShuffles, cuda, kCacheFile, 2},
    Step{kCache, "shared", kShared, cuda, kCacheFile, 4},
    Step{kCache, "register_cache", kShuffles, cuda, kCacheFile, 4},
    Step{kCache, "shared", kShared, cuda, kCacheFile, 8},
    Step{kCache, "register_cache", kShuffles, cuda, kCacheFile, 8},
    Step{kOwn, "jitune", kWinner, cuda, ""},
};

constexpr std::string_view kEntropy = "windowed entropy";
constexpr std::string_view kGpuFile = "entropy_article.cu";
constexpr std::string_view kHostFile = "entropy_article.host.cpp";

constexpr std::array kEntropySteps{
    Step{kEntropy, "v0", "baseline: logarithms computed", cuda, kGpuFile},
    Step{kEntropy, "v1", "logarithms in registers", cuda, kGpuFile},
    Step{kEntropy, "v2", "logarithms in shared memory", cuda, kGpuFile},
    Step{kEntropy, "v3", "logarithms in constant memory", cuda, kGpuFile},
    Step{kEntropy, "v4", "logarithms in global memory", cuda, kGpuFile},
    Step{kEntropy, "v5", "v4 by the texture cache", cuda, kGpuFile},
    Step{kEntropy, "v6", "v1 with counters of 8 bits", cuda, kGpuFile},
    Step{kEntropy, "v7", "v6 with a table of float", cuda, kGpuFile},
    Step{kEntropy, "v8", "v7, input by the texture cache", cuda, kGpuFile},
    Step{kEntropy, "v9", "v7, input in shared tiles", cuda, kGpuFile},
    Step{kOwn, "jitune", kWinner, cuda, ""},
    Step{kEntropy, "v10", "baseline: logarithms computed", host, kHostFile},
    Step{kEntropy, "v11", "a table of logarithms", host, kHostFile},
    Step{kEntropy, "v12", "v11 with a table of float", host, kHostFile},
    Step{kEntropy, "v13", "v12 with 2-D prefix sums", host, kHostFile},
    Step{kOwn, "jitune", kWinner, host, ""},
    // The article shares the array out by hand; jitune's placement stands in its place.
    Step{kEntropy, "v14", "placed: cores, GPUs or both", machine, ""},
};

void refuse_other_types(ElementType type) {
    if (type != ElementType::float32 && type != ElementType::int32) {
        throw Error(ErrorKind::usage,
                    fmt::format("the steps take float32 and int32, not {}", to_string(type)));
    }
}

Problem sum(const StepInput& input) {
    refuse_other_types(input.type);
    return reduce_problem(
        {input.type, input.type, Reduction(ReduceOp::sum), detail::ReduceShape::all(input.size)});
}

/// The article's stencil: the mean of 2 radius + 1 neighbours, where all of them exist.
Problem mean_of_neighbours(const StepInput& input) {
    constexpr std::size_t kAligned = 16;
    refuse_other_types(input.type);
    return stencil_problem({input.type,
                            {.radius = input.radius, .mean = true, .boundary = Boundary::valid},
                            input.size},
                           kAligned);
}

/// Windows of 5 x 5 over elements of 16 levels, as in the article.
Problem entropies(const StepInput& input) {
    const detail::EntropyRequest request{input.type, input.size, input.size, {}};
    refuse_bad_entropy(request);
    return entropy_problem(request);
}

constexpr std::array kSets{
    StepSet{
        .kernel = "reduce",
        .steps = kReductionSteps,
        .problem = sum,
        .own_kernel = [](const Device& device) -> const Kernel& {
            return reduce_kernel(ReduceKind::all, device.info().platform);
        },
        .make_workload = []() -> std::unique_ptr<const Workload> {
            return std::make_unique<ReduceWorkload>(ReduceKind::all);
        },
    },
    StepSet{
        .kernel = "stencil",
        .steps = kStencilSteps,
        .problem = mean_of_neighbours,
        .own_kernel = [](const Device& device) -> const Kernel& {
            return stencil_kernel(device.info().platform);
        },
        .make_workload = []() -> std::unique_ptr<const Workload> {
            return std::make_unique<StencilWorkload>();
        },
    },
    StepSet{
        .kernel = "entropy",
        .steps = kEntropySteps,
        .times_copies = true,
        .problem = entropies,
        .own_kernel = entropy_kernel_on,
        .make_workload = []() -> std::unique_ptr<const Workload> {
            return std::make_unique<EntropyWorkload>();
        },
    },
};

}  // namespace

std::span<const StepSet> step_sets() {
    return kSets;
}

const StepSet& step_set(std::string_view kernel) {
    const auto found = std::find_if(kSets.begin(), kSets.end(),
                                    [&](const StepSet& set) { return set.kernel == kernel; });
    if (found == kSets.end()) {
        throw Error(ErrorKind::usage, fmt::format("no article is about \"{}\"", kernel));
    }
    return *found;
}

}  // namespace jitune::internal
