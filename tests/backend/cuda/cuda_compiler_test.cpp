// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/compile/cuda_compiler.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "backend/cuda/compile/nvrtc_compiler.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {
namespace {

TEST(CudaRecipe, GivesNvccWhatItKnowsAndTheSameTextToNvrtc) {
    std::shared_ptr<const NvrtcTable> nvrtc;
    try {
        nvrtc = load_nvrtc();
    } catch (const Error& error) {
        GTEST_SKIP() << error.what();
    }
    DeviceInfo device;
    device.attributes["compute_capability"] = 90;
    const TemplateSource source{
        "k.cu",
        "namespace own { template <int N> __global__ void k(int* out) { *out = N; } }",
        {},
        {},
        {"/own"}};
    Instance instance{{"own::k<3>"}};
    instance.options = {"--use_fast_math"};
    const CompileRecipe recipe = make_cuda_recipe(*nvrtc, device, source, instance);
    const auto has = [&](const std::string& word) {
        return std::find(recipe.command.begin(), recipe.command.end(), word) !=
               recipe.command.end();
    };
    EXPECT_TRUE(has("--gpu-architecture=sm_90"));
    EXPECT_TRUE(has("--use_fast_math"));
    EXPECT_TRUE(has("--include-path=/own"));
    EXPECT_FALSE(has("--device-as-default-execution-space"));
    EXPECT_EQ(recipe.binary, "kernel.cubin");
    EXPECT_TRUE(recipe.text.starts_with(source.text));
    EXPECT_NE(recipe.text.find("(const void*)(own::k<3>);"), std::string::npos);
    EXPECT_EQ(recipe.profiler.back(), "regex:k");
    TemplateSource shown = source;
    shown.text = recipe.text;
    const auto image = [&](const TemplateSource& text) {
        return *std::get<Binary>(compile_instances(*nvrtc, text, {&instance, 1}, 90).front()).image;
    };
    EXPECT_EQ(image(shown).size(), image(source).size());
}

}  // namespace
}  // namespace jitune::internal
