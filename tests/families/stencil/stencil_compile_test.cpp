// SPDX-License-Identifier: Apache-2.0
// That stencil.cu compiles for every architecture, with each value of its parameters and types.

#include <random>
#include <set>

#include <gtest/gtest.h>

#include "backend/cuda/compile/cuda_program.hpp"
#include "backend/cuda/compile/nvrtc_compiler.hpp"
#include "families/stencil/stencil_kernel.hpp"
#include "fixtures/stencil_case.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {
namespace {

/// A GPU of this architecture, as far as constraints can tell.
DeviceInfo device(int architecture) {
    DeviceInfo info;
    info.attributes = {
        {"sm_count", 100},      {"max_threads_per_block", 1024},
        {"warp_size", 32},      {"shared_bytes_per_block", (architecture == 75 ? 64 : 99) << 10},
        {"l2_bytes", 48 << 20}, {"compute_capability", architecture}};
    return info;
}

/// The first architecture whose configurations have this word.
int first_architecture(const std::string& word) {
    const bool bulk =
        word == "staging=bulk" || (word.starts_with("blocks_per_sm=") && word != "blocks_per_sm=0");
    return bulk ? 90 : word == "async=1" || word == "load=streaming" ? 80 : 75;
}

constexpr ElementType kTypes[] = {ElementType::int32, ElementType::float32, ElementType::float64};
constexpr int kRadii[] = {1, 2, 7, 8, 25, 32};

class StencilCompile : public testing::TestWithParam<int> {};

/// Draws problems and legal configurations until every value has been in some.
std::vector<Instance> covering_instances(int architecture, std::set<std::string>& seen) {
    const KernelTemplate& kernel = stencil_kernel(PlatformKind::cuda).kernel_template;
    std::mt19937_64 random(static_cast<std::uint64_t>(architecture));
    std::vector<Instance> result;
    for (int i = 0; i < 30000; ++i) {
        const auto draw = [&](const auto& list) { return list[random() % std::size(list)]; };
        Stencil stencil{.radius = draw(kRadii), .boundary = draw(kBoundaries)};
        const std::vector<double> weights(static_cast<std::size_t>(2 * stencil.radius + 1), 1.0);
        stencil.mean = random() % 3 == 0;
        if (!stencil.mean && random() % 2 == 0) {
            stencil.weights = weights;
        }
        const Problem problem = stencil_problem({draw(kTypes), stencil, 1 << 28}, 16);
        std::string text = types_text(problem);
        for (const Parameter& parameter : kernel.front_matter().parameters) {
            text += fmt::format(" {}={}", parameter.name,
                                to_string(parameter.values[random() % parameter.values.size()]));
        }
        const auto words = text.substr(types_text(problem).size() + 1);
        const auto configuration = Configuration::parse(words, kernel.front_matter().parameters);
        if (!kernel.accepts(configuration, problem, device(architecture))) {
            continue;
        }
        std::size_t fresh = 0;
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = std::min(text.find(' ', at), text.size());
            fresh += seen.insert(text.substr(at, end - at)).second ? 1 : 0;
            at = end + 1;
        }
        if (fresh > 0) {
            result.push_back(kernel.instance(problem, configuration));
        }
    }
    return result;
}

TEST_P(StencilCompile, EveryValueOfTypesAndParameters) {
    std::shared_ptr<const NvrtcTable> nvrtc;
    try {
        nvrtc = load_nvrtc();
    } catch (const Error& error) {
        GTEST_SKIP() << error.what();
    }
    const KernelTemplate& kernel = stencil_kernel(PlatformKind::cuda).kernel_template;
    std::set<std::string> seen;
    const auto instances = covering_instances(GetParam(), seen);
    const auto outcomes = compile_instances(*nvrtc, kernel.source(), instances, GetParam());
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        const auto* failure = std::get_if<CompileFailure>(&outcomes[i]);
        ASSERT_EQ(failure, nullptr) << instances[i].expressions[0] << ": " << failure->log;
        const Binary& binary = std::get<Binary>(outcomes[i]);
        EXPECT_NO_THROW(check_image(binary.format, *binary.image));
    }
    for (const Parameter& parameter : kernel.front_matter().parameters) {
        for (const Value& value : parameter.values) {
            const std::string word = fmt::format("{}={}", parameter.name, to_string(value));
            EXPECT_EQ(seen.contains(word), GetParam() >= first_architecture(word)) << word;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Architectures, StencilCompile, testing::Values(75, 80, 90, 100, 120),
                         [](const auto& one) { return fmt::format("sm_{}", one.param); });

TEST(StencilSpace, HasTheSharedMemoryThatTheKernelUses) {
    const KernelTemplate& kernel = stencil_kernel(PlatformKind::cuda).kernel_template;
    const Problem problem = stencil_problem(
        {ElementType::float32, {.radius = 25, .boundary = Boundary::clamp}, 1 << 20}, 16);
    const auto shared = [&](const std::string& text) {
        const auto rule = kernel.launch_rule(
            problem, device(90), Configuration::parse(text, kernel.front_matter().parameters));
        return rule.plan(problem.sizes).launch.steps[0].shared_bytes;
    };
    const std::string rest =
        " evaluation=nested exchange=1 async=0 blocks_per_sm=0 load=standard store=standard";
    // 28 inputs before the first output's place; 255 * 2 + 16 packs, a pack of padding for each 2.
    EXPECT_EQ(shared("staging=shared block=256 outputs_per_thread=8 pack_bytes=16" + rest),
              (255 * 2 + 16 + (255 * 2 + 16) / 2) * 16U);
    EXPECT_EQ(shared("staging=direct block=128 outputs_per_thread=16 pack_bytes=16" + rest),
              128 * 5 * 16U);
}

TEST(StencilSpace, KeepsBlocksWhereMemoryLeavesNoTimeToAdd) {
    const KernelTemplate& kernel = stencil_kernel(PlatformKind::cuda).kernel_template;
    const std::vector<double> weights(51, 1.0);
    const Problem problem =
        stencil_problem({ElementType::float32, {.radius = 25, .weights = weights}, 1 << 27}, 16);
    const auto has_bulk = [&](int architecture) {
        const SearchSpace space = kernel.space(problem, device(architecture));
        for (std::size_t i = 0; i < space.size(); ++i) {
            if (to_string(space.at(i).at("staging")) == "bulk") {
                return true;
            }
        }
        return false;
    };
    EXPECT_TRUE(has_bulk(90));
    EXPECT_FALSE(has_bulk(80));
    const auto rule = kernel.launch_rule(
        problem, device(90),
        Configuration::parse("staging=bulk block=128 outputs_per_thread=20 pack_bytes=16 "
                             "evaluation=by_input exchange=1 async=0 blocks_per_sm=4 load=standard "
                             "store=standard",
                             kernel.front_matter().parameters));
    const Launch launch = rule.plan(problem.sizes).launch;
    EXPECT_EQ(launch.steps[0].grid.x, 400U);
    // Two tiles with their halos, of 127 * 5 + 18 packs each, and the outputs of one.
    EXPECT_EQ(launch.steps[0].shared_bytes, (2 * (127 * 5 + 18) + 128 * 5) * 16U);
}

TEST(StencilSpace, IsSmallAndHasEveryStaging) {
    const KernelTemplate& kernel = stencil_kernel(PlatformKind::cuda).kernel_template;
    for (const int radius : {1, 8, 25}) {
        const Problem problem =
            stencil_problem({ElementType::float32, {.radius = radius}, 1 << 27}, 16);
        const SearchSpace space = kernel.space(problem, device(90));
        std::set<std::string> stagings;
        for (std::size_t i = 0; i < space.size(); ++i) {
            stagings.insert(to_string(space.at(i).at("staging")));
        }
        EXPECT_EQ(stagings.size(), 3U);
        EXPECT_LT(space.size(), 350U);
        EXPECT_TRUE(kernel.default_of(problem, device(90), &space).passed_over.empty());
    }
}

}  // namespace
}  // namespace jitune::internal
