// SPDX-License-Identifier: Apache-2.0
// That kernels with texture objects compile for every architecture without headers of CUDA's, and
// take what their launches pass.

#include "backend/cuda/driver/cuda_inspector.hpp"
#include "families/own/kernel_file.hpp"
#include "fixtures/compile_only_device.hpp"
#include "fixtures/expect_error.hpp"
#include "fixtures/texture_kernels.hpp"
#include "tuning/record/binary_cache.hpp"

namespace jitune::internal {
namespace {

struct TextureKernel {
    const char* name;
    const char* text;
};
void PrintTo(const TextureKernel& kernel, std::ostream* out) {
    *out << kernel.name;
}

class OwnTexturesCompile : public testing::TestWithParam<TextureKernel> {};

TEST_P(OwnTexturesCompile, CompilesForEveryArchitecture) {
    const Kernel kernel = kernel_from_text("textures.cu", GetParam().text, ".");
    const KernelTemplate& source = kernel.kernel_template;
    const FrontMatter& front = source.front_matter();
    const std::vector<std::int64_t> sizes(front.sizes.size(), 64);
    const Problem problem = kernel_problem(source, sizes, {});
    const Instance instance = source.instance(problem, source.default_configuration(problem, {}));
    for (const int architecture : {75, 80, 86, 89, 90, 100, 120}) {
        CompileOnlyDevice compiler(architecture);
        BinaryCache binaries;
        const CompileOutcome outcome =
            binaries.compile(compiler, source.source(), source.hash(), std::span(&instance, 1))
                .front();
        const auto* failure = std::get_if<CompileFailure>(&outcome);
        ASSERT_EQ(failure, nullptr) << architecture << ": " << failure->log;
        const Binary& binary = std::get<Binary>(outcome);
        const auto bytes = make_cuda_inspector()->parameters(binary, binary.symbols.front());
        ASSERT_TRUE(bytes) << architecture;
        for (std::size_t i = 0; i < bytes->size(); ++i) {
            const auto* argument = front.find_argument(front.launches[0].arguments[i]);
            if (argument->texture) {
                EXPECT_EQ((*bytes)[i], 8) << architecture << ": " << argument->name;
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Kernels, OwnTexturesCompile,
                         testing::Values(TextureKernel{"shifted_image", kShiftedImage},
                                         TextureKernel{"gathered_pixels", kGatheredPixels},
                                         TextureKernel{"edges_of_images", kEdgesOfImages}));

}  // namespace
}  // namespace jitune::internal
