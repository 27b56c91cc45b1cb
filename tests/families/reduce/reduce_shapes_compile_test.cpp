// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "backend/cuda/compile/nvrtc_compiler.hpp"
#include "families/reduce/reduce_kernel.hpp"
#include "families/reduce/reduce_types.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {
namespace {

using detail::ReduceShape;

constexpr int kArchitectures[] = {75, 80, 86, 89, 90, 100, 120};

/// A data center GPU of this architecture, as far as constraints can tell.
DeviceInfo device(int architecture) {
    DeviceInfo info;
    info.attributes = {{"sm_count", 132},
                       {"warp_size", 32},
                       {"max_threads_per_block", 1024},
                       {"max_threads_per_sm", architecture == 75 ? 1024 : 2048},
                       {"max_blocks_per_sm", 32},
                       {"shared_bytes_per_block", 64 << 10},
                       {"registers_per_sm", 64 << 10},
                       {"l2_bytes", 48 << 20},
                       {"compute_capability", architecture},
                       {"memory_bus_bits", 5120},
                       {"memory_clock_khz", 2'000'000}};
    return info;
}

std::vector<ReduceShape> shapes(ReduceKind kind) {
    const auto make = [&](std::size_t outer, std::size_t inner) {
        return kind == ReduceKind::rows      ? ReduceShape::rows(outer, inner)
               : kind == ReduceKind::columns ? ReduceShape::columns(outer, inner)
                                             : ReduceShape::segments(outer, outer * inner);
    };
    std::vector<ReduceShape> result;
    constexpr std::size_t kSizes[][2] = {{1, 1},
                                         {1, 100},
                                         {1, 1 << 20},
                                         {1 << 20, 1},
                                         {3, 5},
                                         {31, 33},
                                         {1000, 17},
                                         {7, 100'003},
                                         {100'003, 7},
                                         {65'537, 3},
                                         {4, 1 << 24},
                                         {64, 1 << 20},
                                         {1 << 14, 1 << 12},
                                         {1 << 18, 1 << 8},
                                         {1 << 22, 1 << 4},
                                         {1 << 24, 1 << 2},
                                         {67'108, 1000},
                                         {65'472, 1025}};
    for (const auto& [outer, inner] : kSizes) {
        result.push_back(make(outer, inner));
    }
    return result;
}

struct Types {
    ElementType element;
    ReduceOp op;
};

constexpr Types kTypes[] = {
    {ElementType::float32, ReduceOp::sum},         {ElementType::int8, ReduceOp::arg_max},
    {ElementType::float16, ReduceOp::mean},        {ElementType::float64, ReduceOp::arg_min},
    {ElementType::uint8, ReduceOp::all},           {ElementType::bfloat16, ReduceOp::norm},
    {ElementType::int32, ReduceOp::max},           {ElementType::uint64, ReduceOp::product},
    {ElementType::int16, ReduceOp::max_abs},       {ElementType::float32, ReduceOp::arg_max},
    {ElementType::uint16, ReduceOp::count_nonzero}};

Problem problem(const ReduceShape& shape, const Types& types) {
    return reduce_problem(
        {types.element, results_of(types.element, types.op).front(), types.op, shape});
}

/// Configurations that have every value of every parameter which some shape's space has.
std::vector<std::pair<Problem, Configuration>> covering(const KernelTemplate& kernel,
                                                        ReduceKind kind, const Types& types) {
    std::set<std::string> seen;
    std::vector<std::pair<Problem, Configuration>> result;
    for (const ReduceShape& shape : shapes(kind)) {
        const Problem one = problem(shape, types);
        const SearchSpace space = kernel.space(one, device(90));
        for (std::size_t i = 0; i < space.size(); ++i) {
            const Configuration configuration = space.at(i);
            bool is_new = false;
            for (const auto& [name, value] : configuration.entries()) {
                is_new = seen.insert(Configuration({{name, value}}).text()).second || is_new;
            }
            if (is_new) {
                result.emplace_back(one, configuration);
            }
        }
    }
    return result;
}

class ReduceShapesCompile : public testing::TestWithParam<ReduceKind> {
protected:
    const KernelTemplate& kernel() const {
        return reduce_kernel(GetParam(), PlatformKind::cuda).kernel_template;
    }
};

TEST_P(ReduceShapesCompile, HasAFewThousandConfigurationsAtMostAndALegalDefaultForEveryShape) {
    for (const ReduceShape& shape : shapes(GetParam())) {
        for (const Types& types : kTypes) {
            const Problem one = problem(shape, types);
            SCOPED_TRACE(types_text(one) + " " + sizes_text(one, kernel().front_matter().sizes));
            for (const int architecture : {75, 90}) {
                const DeviceInfo info = device(architecture);
                const SearchSpace space = kernel().space(one, info);
                EXPECT_LE(space.size(), 2000u);
                EXPECT_TRUE(kernel().accepts(kernel().default_configuration(one, info), one, info));
            }
        }
    }
}

TEST_P(ReduceShapesCompile, AnEarlyReleaseIsSearchedOnlyWhereLaunchesAreProgrammatic) {
    const Problem one = problem(shapes(GetParam())[5], kTypes[0]);
    const auto has_early = [&](int architecture) {
        const SearchSpace space = kernel().space(one, device(architecture));
        for (std::size_t i = 0; i < space.size(); ++i) {
            if (space.at(i).text().find("release=early") != std::string::npos) {
                return true;
            }
        }
        return false;
    };
    EXPECT_FALSE(has_early(75));
    EXPECT_FALSE(has_early(89));
    EXPECT_EQ(has_early(90), GetParam() == ReduceKind::rows);
}

TEST_P(ReduceShapesCompile, EveryParameterValueCompilesOnEveryArchitecture) {
    std::shared_ptr<const NvrtcTable> nvrtc;
    try {
        nvrtc = load_nvrtc();
    } catch (const Error& error) {
        GTEST_SKIP() << error.what();
    }
    struct Job {
        int architecture;
        std::vector<Instance> instances;
    };
    std::vector<Job> jobs;
    for (std::size_t a = 0; a < std::size(kArchitectures); ++a) {
        jobs.push_back({kArchitectures[a], {}});
        for (std::size_t t = a % 5; t < std::size(kTypes); t += 5) {
            const auto all = covering(kernel(), GetParam(), kTypes[t]);
            for (std::size_t i = a % 3; i < all.size(); i += 3) {
                jobs.back().instances.push_back(kernel().instance(all[i].first, all[i].second));
            }
        }
    }
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        for (std::size_t j = next++; j < jobs.size(); j = next++) {
            const auto outcomes = compile_instances(*nvrtc, kernel().source(), jobs[j].instances,
                                                    jobs[j].architecture);
            for (std::size_t i = 0; i < outcomes.size(); ++i) {
                if (const auto* failure = std::get_if<CompileFailure>(&outcomes[i])) {
                    ADD_FAILURE() << jobs[j].instances[i].expressions.front() << " for sm_"
                                  << jobs[j].architecture << ": " << failure->log;
                }
            }
        }
    };
    std::thread other(work);
    work();
    other.join();
}

/// For every NVRTC from 12.0 on, and for a launch that begins before the work ahead of it has
/// ended.
TEST_P(ReduceShapesCompile, NoPtxNeedsNvrtc123OrTakesMemoryForConstant) {
    std::shared_ptr<const NvrtcTable> nvrtc;
    try {
        nvrtc = load_nvrtc();
    } catch (const Error& error) {
        GTEST_SKIP() << error.what();
    }
    constexpr int kNewerThanNvrtc = 990;
    for (const Types& types : {kTypes[0], kTypes[3], kTypes[9]}) {
        std::vector<Instance> instances;
        for (const auto& [one, configuration] : covering(kernel(), GetParam(), types)) {
            instances.push_back(kernel().instance(one, configuration));
        }
        const auto outcomes =
            compile_instances(*nvrtc, kernel().source(), instances, kNewerThanNvrtc);
        for (std::size_t i = 0; i < outcomes.size(); ++i) {
            const auto& binary = std::get<Binary>(outcomes[i]);
            ASSERT_EQ(binary.format, "ptx");
            SCOPED_TRACE(instances[i].expressions.front());
            EXPECT_EQ(binary.image->find(".b128"), std::string::npos);
            EXPECT_EQ(binary.image->find("ld.global.nc"), std::string::npos);
        }
    }
}

std::string kind_name(const testing::TestParamInfo<ReduceKind>& info) {
    return info.param == ReduceKind::rows      ? "Rows"
           : info.param == ReduceKind::columns ? "Columns"
                                               : "Segments";
}

INSTANTIATE_TEST_SUITE_P(Shapes, ReduceShapesCompile,
                         testing::Values(ReduceKind::rows, ReduceKind::columns,
                                         ReduceKind::segments),
                         kind_name);

}  // namespace
}  // namespace jitune::internal
