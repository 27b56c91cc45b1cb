// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "articles/articles.hpp"
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

TEST(StepTable, HasEveryStepOfEveryTemplateOnce) {
    for (const StepSet& set : step_sets()) {
        std::map<std::string_view, std::set<std::string>> steps;
        for (const Step& step : set.steps) {
            if (!step.is_own()) {
                EXPECT_TRUE(steps[step.file]
                                .insert(std::string(step.name) + "/" + std::to_string(step.outputs))
                                .second)
                    << step.name;
            }
        }
        for (const Step& step : set.steps) {
            if (step.is_own()) {
                continue;
            }
            const Kernel kernel = load_step_kernel(set, step);
            const auto& types = kernel.kernel_template.front_matter().types;
            EXPECT_EQ(types.contains("outputs"), step.outputs > 0) << step.name;
            for (const auto& [name, text] : types.at("step")) {
                const bool has =
                    steps.at(step.file).contains(name + "/" + std::to_string(step.outputs));
                EXPECT_TRUE(has) << step.file << ": " << name;
            }
        }
    }
    EXPECT_EQ(article_steps("reduce").size(), 23U);
    EXPECT_EQ(article_steps("stencil").size(), 8U);
    EXPECT_EQ(article_steps("entropy").size(), 10U);
    EXPECT_EQ(article_steps("entropy", PlatformKind::host).size(), 4U);
}

TEST(StepTable, NamesOnlyStepsThatTheirTemplatesHave) {
    for (const StepSet& set : step_sets()) {
        for (const Step& step : set.steps) {
            if (!step.is_own()) {
                const Kernel kernel = load_step_kernel(set, step);
                const FrontMatter& front = kernel.kernel_template.front_matter();
                EXPECT_TRUE(front.types.at("step").contains(std::string(step.name))) << step.name;
                EXPECT_EQ(front.platform, step.platform) << step.name;
            }
        }
    }
}

TEST(StepTable, EndsWithJitunesOwnKernelOnEachPlatform) {
    for (const StepSet& set : step_sets()) {
        std::map<PlatformKind, const Step*> last;
        for (const Step& step : set.steps) {
            last[step.platform] = &step;
        }
        for (const auto& [platform, step] : last) {
            EXPECT_TRUE(step->is_own()) << set.kernel << " on " << to_string(platform);
        }
    }
}

TEST(StepTable, DefaultsAreTheValuesOfTheArticles) {
    std::map<std::string, std::string> defaults;
    for (const Step& step : article_steps("reduce")) {
        const LoadedStep loaded("reduce", step, {ElementType::float32, 1 << 25});
        const SearchSpace space = loaded.text().space(loaded.problem, device());
        defaults[std::string(step.name)] =
            free_parameters(loaded.text().default_configuration(loaded.problem, device()), space);
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

TEST(StepTable, EveryConfigurationOfEverySumHasItsLaunches) {
    const StepSet& sums = step_set("reduce");
    for (const Step& step : article_steps("reduce")) {
        const Kernel kernel = load_step_kernel(sums, step);
        for (const std::int64_t n : kSizes) {
            const Problem problem = step_problem(sums, step, kernel, {ElementType::int32, n});
            const SearchSpace space = kernel.kernel_template.space(problem, device());
            for (std::size_t i = 0; i < space.size(); ++i) {
                const LaunchRule rule =
                    kernel.kernel_template.launch_rule(problem, device(), space.at(i));
                const Launch launch = rule.plan(problem.sizes).launch;
                EXPECT_GE(launch.step_count, 1U) << step.name;
                // The last launch has one block, which writes the result, unless all blocks add to
                // it by atomics.
                const bool atomics = step.name >= "kernel_2" && step.name <= "kernel_4";
                EXPECT_TRUE(atomics || launch.steps[launch.step_count - 1].grid.x == 1)
                    << step.name << " " << space.at(i).text() << " n=" << n;
            }
        }
    }
}

TEST(StepTable, SumsStartAsManyBlocksAsInTheArticles) {
    const auto blocks = [](std::string_view name, std::int64_t n) {
        std::vector<std::uint32_t> grids;
        for (const Step& step : article_steps("reduce")) {
            if (step.name != name) {
                continue;
            }
            const LoadedStep loaded("reduce", step, {ElementType::float32, n});
            const KernelTemplate& kernel = loaded.text();
            const LaunchRule rule = kernel.launch_rule(
                loaded.problem, device(), kernel.default_configuration(loaded.problem, device()));
            const Launch launch = rule.plan(loaded.problem.sizes).launch;
            for (std::size_t i = 0; i < launch.step_count; ++i) {
                grids.push_back(launch.steps[i].grid.x);
            }
        }
        return grids;
    };
    using Grids = std::vector<std::uint32_t>;
    EXPECT_EQ(blocks("v0", 1 << 25), (Grids{131072, 512, 2, 1}));
    EXPECT_EQ(blocks("v0", 256), Grids{1});
    EXPECT_EQ(blocks("v6", 1 << 25), (Grids{2048, 1}));
    EXPECT_EQ(blocks("v8", 1 << 25), (Grids{1056, 5, 1}));  // on 132 SMs
    EXPECT_EQ(blocks("kernel_0", 1 << 25), (Grids{65536, 1}));
    EXPECT_EQ(blocks("kernel_4", 1 << 25), (Grids{1, 5462}));  // it clears the answer first
    EXPECT_EQ(blocks("reduce0", 1 << 25), (Grids{4096, 64, 1, 1}));
    EXPECT_EQ(blocks("reduce1", 1 << 25), (Grids{288, 1, 1}));
    EXPECT_EQ(blocks("reduce3", 1 << 25), (Grids{270, 1}));
}

TEST(StepTable, RefusesInputsThatStepsCannotTake) {
    const auto refuse = [](std::string_view kernel, const StepInput& input, const char* why) {
        expect_error(ErrorKind::usage, why, [&] { step_set(kernel).problem(input); });
    };
    refuse("reduce", {ElementType::float64, 1000}, "float32 and int32, not float64");
    refuse("stencil", {ElementType::float64, 1000, 1}, "float32 and int32, not float64");
    refuse("stencil", {ElementType::float32, 1000, 33}, "radius");
    refuse("entropy", {ElementType::float32, 1 << 21}, "at most 2^40");
}

TEST(StepTable, InputBytesAreThoseOfTheWholeArray) {
    EXPECT_EQ(input_bytes(step_set("reduce"), {ElementType::int32, 1000}), 4000U);
    EXPECT_EQ(input_bytes(step_set("entropy"), {ElementType::float32, 100}), 40'000U);
}

}  // namespace
}  // namespace jitune::internal
