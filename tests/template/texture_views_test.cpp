// SPDX-License-Identifier: Apache-2.0
// What launches of a template hold of its texture objects.
#include "fixtures/expect_error.hpp"
#include "template/kernel_template.hpp"

namespace jitune::internal {
namespace {

TEST(TextureViews, GivesLaunchesTheViewsOfTextures) {
    const KernelTemplate kernel(
        {"scale.cu",
         "/* jitune template\nkernel = \"scale\"\nbackend = \"cuda\"\nsizes = [\"w\", \"h\"]\n"
         "[types.element]\nuint8 = \"uchar4\"\nint16 = \"short4\"\n"
         "[parameters]\nblock = { values = [64, 128], default = 64 }\n[arguments]\n"
         "out = { access = \"out\", type = \"float32\", count = \"w\" }\n"
         "line = { access = \"in\", type = \"float16\", count = \"w * 2\", texture = { channels = "
         "2 "
         "} }\n"
         "image = { access = \"in\", type = \"element\", count = \"4 * 512 * h\", texture = { "
         "width = \"w\", height = \"h\", pitch = \"block * 8\", channels = 4, filter = \"linear\", "
         "read = \"normalized\", address = \"border\" } }\n"
         "[[launch]]\nentry = \"scale\"\narguments = [\"out\", \"image\", \"line\"]\n*/",
         {}});
    const Problem problem{"scale", {{"element", "int16"}}, {500, 7}};
    const Configuration block = Configuration::parse("block=64", kernel.front_matter().parameters);
    const LaunchRule rule = kernel.launch_rule(problem, DeviceInfo{}, block);
    const LaunchRule::Plan plan = rule.plan(problem.sizes);
    const Launch launch = rule.bind(plan, Scratch{});
    ASSERT_EQ(launch.texture_count, 2);
    EXPECT_EQ(launch.array_count, 3);
    const TextureView line{.array = 1,
                           .element = ElementType::float16,
                           .sampling = {2, TextureSampling::Filter::point,
                                        TextureSampling::Address::clamp, false, false},
                           .width = 500,
                           .height = 0,
                           .pitch = 0,
                           .bytes = 2000};
    EXPECT_EQ(launch.textures[0], line);
    const TextureView image{.array = 2,
                            .element = ElementType::int16,
                            .sampling = {4, TextureSampling::Filter::linear,
                                         TextureSampling::Address::border, false, true},
                            .width = 500,
                            .height = 7,
                            .pitch = 512,
                            .bytes = 4U * 512 * 7 * 2};
    EXPECT_EQ(launch.textures[1], image);
}

TEST(TextureViews, NamesTheTextureWhoseExtentIsOutOfRange) {
    const KernelTemplate kernel(
        {"scale.cu",
         "/* jitune template\nkernel = \"scale\"\nbackend = \"cuda\"\nsizes = [\"w\", \"h\"]\n"
         "[parameters]\nblock = { values = [64], default = 64 }\n[arguments]\n"
         "image = { access = \"in\", type = \"float32\", count = \"w * h\", texture = { width = "
         "\"w - 8\", height = \"h\" } }\n"
         "[[launch]]\nentry = \"scale\"\narguments = [\"image\"]\n*/",
         {}});
    const Problem problem{"scale", {}, {8, 7}};
    const Configuration block = Configuration::parse("block=64", kernel.front_matter().parameters);
    const LaunchRule rule = kernel.launch_rule(problem, DeviceInfo{}, block);
    expect_error(ErrorKind::usage,
                 "width of the texture of argument image of scale.cu is 0 for these sizes",
                 [&] { static_cast<void>(rule.plan(problem.sizes)); });
}

}  // namespace
}  // namespace jitune::internal
