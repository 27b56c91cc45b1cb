// SPDX-License-Identifier: Apache-2.0
#include "articles/reduction_steps.hpp"

#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "articles/step_runner.hpp"
#include "fixtures/expect_error.hpp"

namespace jitune::internal {
namespace {

DeviceInfo device() {
    DeviceInfo info;
    info.attributes = {{"sm_count", 132},
                       {"warp_size", 32},
                       {"max_threads_per_block", 1024},
                       {"max_threads_per_sm", 2048},
                       {"max_blocks_per_sm", 32},
                       {"shared_bytes_per_block", 227 << 10},
                       {"registers_per_sm", 64 << 10},
                       {"l2_bytes", 50 << 20},
                       {"compute_capability", 90},
                       {"memory_bus_bits", 6144},
                       {"memory_clock_khz", 3'201'000}};
    return info;
}

constexpr std::int64_t kSizes[] = {
    1,        2, 31, 33, 1000, 1 << 20, 1 << 25, (1 << 25) + 1, 1 << 30, 1LL << 32, (1LL << 32) + 1,
    1LL << 35};

TEST(ReductionSteps, AreThoseOfTheTemplates) {
    std::map<std::string_view, std::set<std::string>> named;
    for (const ReductionStep& step : reduction_steps()) {
        EXPECT_TRUE(named[step.template_name].insert(std::string(step.name)).second) << step.name;
    }
    EXPECT_EQ(reduction_steps().size(), 23U);
    for (const ReductionStep& step : reduction_steps()) {
        std::set<std::string> there;
        for (const auto& [name, text] :
             step_kernel(step).kernel_template.front_matter().types.at("step")) {
            there.insert(name);
        }
        EXPECT_EQ(there, named.at(step.template_name)) << step.template_name;
    }
}

TEST(ReductionSteps, HaveTheArticlesValuesAsDefaults) {
    std::map<std::string, std::string> defaults;
    for (const ReductionStep& step : reduction_steps()) {
        const KernelTemplate& kernel = step_kernel(step).kernel_template;
        const SearchSpace space =
            kernel.space(step_problem(step, ElementType::float32, 1 << 25), device());
        defaults[std::string(step.name)] =
            free_parameters(kernel.default_configuration(space), space);
    }
    EXPECT_EQ(defaults.at("v0"), "block=256");
    EXPECT_EQ(defaults.at("v6"), "block=256 num_per_thread=64");
    EXPECT_EQ(defaults.at("v7_expanded"), "block=256 num_per_thread=64");
    EXPECT_EQ(defaults.at("v8"), "block=256 pack_size=4 waves=1");
    EXPECT_EQ(defaults.at("kernel_0"), "threads_per_block=512");
    EXPECT_EQ(defaults.at("kernel_4"), "threads_per_block=512 batch_size=12");
    EXPECT_EQ(defaults.at("reduce0"), "threads=256");
    EXPECT_EQ(defaults.at("reduce1"), "threads=256 sm_blocks=288");
    EXPECT_EQ(defaults.at("reduce2"), "threads=256 power_blocks=256");
    EXPECT_EQ(defaults.at("reduce4"), "threads=256 any_blocks=270");
}

TEST(ReductionSteps, EveryConfigurationOfEverySizeHasItsLaunches) {
    for (const ReductionStep& step : reduction_steps()) {
        const KernelTemplate& kernel = step_kernel(step).kernel_template;
        for (const std::int64_t n : kSizes) {
            const Problem problem = step_problem(step, ElementType::int32, n);
            const SearchSpace space = kernel.space(problem, device());
            for (std::size_t i = 0; i < space.size(); ++i) {
                const LaunchRule rule = kernel.launch_rule(problem, device(), space.at(i));
                const Launch launch = rule.plan(problem.sizes).launch;
                EXPECT_GE(launch.step_count, 1U) << step.name;
                // The last launch gives the one result, but for the atomics of all blocks.
                const bool atomics = step.name >= "kernel_2" && step.name <= "kernel_4";
                EXPECT_TRUE(atomics || launch.steps[launch.step_count - 1].grid.x == 1)
                    << step.name << " " << space.at(i).text() << " n=" << n;
            }
        }
    }
}

TEST(ReductionSteps, StartAsManyBlocksAsTheArticlesDo) {
    const auto blocks = [](std::size_t number, std::int64_t n) {
        const ReductionStep& step = reduction_steps()[number];
        const KernelTemplate& kernel = step_kernel(step).kernel_template;
        const Problem problem = step_problem(step, ElementType::float32, n);
        const LaunchRule rule = kernel.launch_rule(
            problem, device(), kernel.default_configuration(kernel.space(problem, device())));
        const Launch launch = rule.plan(problem.sizes).launch;
        std::vector<std::uint32_t> grids;
        for (std::size_t i = 0; i < launch.step_count; ++i) {
            grids.push_back(launch.steps[i].grid.x);
        }
        return grids;
    };
    using Grids = std::vector<std::uint32_t>;
    EXPECT_EQ(blocks(0, 1 << 25), (Grids{131072, 512, 2, 1}));  // v0
    EXPECT_EQ(blocks(0, 256), Grids{1});
    EXPECT_EQ(blocks(9, 1 << 25), (Grids{2048, 1}));          // v6
    EXPECT_EQ(blocks(12, 1 << 25), (Grids{1056, 5, 1}));      // v8 on 132 SMs
    EXPECT_EQ(blocks(13, 1 << 25), (Grids{65536, 1}));        // kernel_0
    EXPECT_EQ(blocks(17, 1 << 25), (Grids{1, 5462}));         // kernel_4 after its clearing
    EXPECT_EQ(blocks(18, 1 << 25), (Grids{4096, 64, 1, 1}));  // reduce0
    EXPECT_EQ(blocks(19, 1 << 25), (Grids{288, 1, 1}));       // reduce1
    EXPECT_EQ(blocks(21, 1 << 25), (Grids{270, 1}));          // reduce3
}

TEST(ReductionSteps, RefuseOtherTypes) {
    expect_error(ErrorKind::usage, "float32 and int32, not float64",
                 [] { step_problem(reduction_steps().front(), ElementType::float64, 1000); });
}

}  // namespace
}  // namespace jitune::internal
