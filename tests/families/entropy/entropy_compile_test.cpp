// SPDX-License-Identifier: Apache-2.0
// That entropy.cu compiles for every architecture.

#include <span>

#include <gtest/gtest.h>

#include "backend/cuda/compile/cuda_program.hpp"
#include "backend/cuda/compile/nvrtc_compiler.hpp"
#include "families/entropy/entropy_kernel.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {
namespace {

DeviceInfo device(int architecture) {
    DeviceInfo info;
    info.attributes = {{"sm_count", 100},
                       {"max_threads_per_block", 1024},
                       {"max_threads_per_sm", architecture == 75 ? 1024 : 1536},
                       {"shared_bytes_per_block", (architecture == 75 ? 64 : 99) << 10},
                       {"compute_capability", architecture}};
    return info;
}

struct Choice {
    ElementType element;
    Entropy entropy;
    const char* configuration;
};

// Words of all widths, each element type, both methods. The first is compiled everywhere, the
// others for the oldest, the newest and the one between.
constexpr Choice kChoices[] = {
    {ElementType::float32,
     {5, 16},
     "method=bits warps=4 strip=32 lane_columns=4 direct=8 warps_per_sm=0 transfer=packs "
     "counter_bytes=1"},
    {ElementType::uint8,
     {3, 8},
     "method=bits warps=1 strip=8 lane_columns=8 direct=8 warps_per_sm=16 "
     "transfer=elements counter_bytes=1"},
    {ElementType::int32,
     {7, 32},
     "method=bits warps=8 strip=64 lane_columns=4 direct=16 warps_per_sm=0 "
     "transfer=elements counter_bytes=1"},
    {ElementType::uint8,
     {15, 256},
     "method=histogram warps=4 strip=32 lane_columns=4 direct=8 warps_per_sm=0 "
     "transfer=packs counter_bytes=1"},
};

class EntropyCompile : public testing::TestWithParam<int> {
protected:
    void SetUp() override {
        try {
            nvrtc_ = load_nvrtc();
        } catch (const Error& error) {
            GTEST_SKIP() << error.what();
        }
    }

    void expect_compile(const KernelTemplate& kernel, const std::vector<Instance>& instances) {
        const auto outcomes = compile_instances(*nvrtc_, kernel.source(), instances, GetParam());
        for (std::size_t i = 0; i < outcomes.size(); ++i) {
            const std::string& name = instances[i].expressions.front();
            if (const auto* failure = std::get_if<CompileFailure>(&outcomes[i])) {
                ADD_FAILURE() << name << ": " << failure->log;
                continue;
            }
            const Binary& binary = std::get<Binary>(outcomes[i]);
            EXPECT_NO_THROW(check_image(binary.format, *binary.image)) << name;
        }
    }

    std::shared_ptr<const NvrtcTable> nvrtc_;
};

TEST_P(EntropyCompile, EveryKindOfKernel) {
    const KernelTemplate& kernel = entropy_kernel(PlatformKind::cuda).kernel_template;
    std::vector<Instance> instances;
    const bool all = GetParam() == 75 || GetParam() == 90 || GetParam() == 120;
    for (const Choice& choice : std::span(kChoices).first(all ? std::size(kChoices) : 1)) {
        const Problem problem = entropy_problem({choice.element, 2560, 2560, choice.entropy});
        const auto configuration =
            Configuration::parse(choice.configuration, kernel.front_matter().parameters);
        ASSERT_TRUE(kernel.accepts(configuration, problem, device(GetParam())))
            << choice.configuration;
        instances.push_back(kernel.instance(problem, configuration));
    }
    expect_compile(kernel, instances);
}

INSTANTIATE_TEST_SUITE_P(Architectures, EntropyCompile,
                         testing::Values(75, 80, 86, 89, 90, 100, 120),
                         testing::PrintToStringParamName());

TEST(EntropySpace, ReadsPacksOnlyWhereEveryRowBeginsWithOne) {
    const KernelTemplate& kernel = entropy_kernel(PlatformKind::cuda).kernel_template;
    const auto transfer = [&](ElementType element, std::int64_t columns) {
        const Problem problem = entropy_problem({element, 1024, columns, {}});
        const SearchSpace space = kernel.space(problem, device(90));
        return to_string(kernel.default_configuration(problem, device(90)).at("transfer"));
    };
    EXPECT_EQ(transfer(ElementType::float32, 1024), "packs");
    EXPECT_EQ(transfer(ElementType::uint8, 1028), "packs");
    EXPECT_EQ(transfer(ElementType::float32, 1023), "elements");
    EXPECT_EQ(transfer(ElementType::uint8, 1022), "elements");
}

TEST(EntropySpace, HasADefaultForEveryWindowAndLevels) {
    const KernelTemplate& kernel = entropy_kernel(PlatformKind::cuda).kernel_template;
    for (const int window : {3, 5, 9, 11, 15}) {
        for (const int levels : {2, 16, 32, 33, 256}) {
            for (const std::int64_t size : {1, 400, 10240}) {
                const Problem problem =
                    entropy_problem({ElementType::float32, size, size, {window, levels}});
                const SearchSpace space = kernel.space(problem, device(75));
                ASSERT_GT(space.size(), 0U) << window << " " << levels << " " << size;
                const bool by_bits = levels <= 32 && window <= 9;
                EXPECT_EQ(to_string(kernel.default_configuration(problem, device(75)).at("method")),
                          by_bits ? "bits" : "histogram")
                    << window << " " << levels;
            }
        }
    }
}

}  // namespace
}  // namespace jitune::internal
