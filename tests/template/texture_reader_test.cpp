// SPDX-License-Identifier: Apache-2.0
#include "fixtures/front_matter_lines.hpp"

namespace jitune::internal {
namespace {

using Filter = TextureSampling::Filter;
using Address = TextureSampling::Address;

std::string argument_line(const std::string& texture, const std::string& type = "float32",
                          const std::string& more = "") {
    return fmt::format(
        "values = {{ access = \"in\", type = \"{}\", count = \"n + 3\", texture = {{ {} }}{} }}",
        type, texture, more);
}

TextureSpec texture(const std::string& keys, const std::string& type = "float32") {
    return parse(with_line(20, argument_line(keys, type))).arguments[0].texture.value();
}

void expect_texture_refused(const std::string& keys, const std::string& text,
                            const std::string& type = "float32") {
    expect_line_refused(20, argument_line(keys, type), text);
}

constexpr const char* kPlane = "width = \"n\", height = \"tile\"";

TEST(TextureReader, ReadsATextureOfLinearMemory) {
    const FrontMatter front = parse(with_line(20, argument_line("channels = 4", "int16")));
    const TextureSpec& spec = front.arguments[0].texture.value();
    EXPECT_EQ(spec.sampling.channels, 4);
    EXPECT_EQ(spec.width.bind({{"n", std::int64_t{37}}}).constant_value(),
              Scalar(std::int64_t{10}));
    EXPECT_FALSE(spec.height);
    EXPECT_FALSE(spec.pitch);
    EXPECT_EQ(front.arguments[0].alignment, kTextureAlignment);
    EXPECT_FALSE(parse(text_of(kLines)).arguments[0].texture);
}

TEST(TextureReader, ReadsATextureOfRows) {
    const TextureSpec plain = texture(kPlane);
    EXPECT_EQ(plain.sampling, (TextureSampling{1, Filter::point, Address::clamp, false, false}));
    EXPECT_EQ(plain.pitch->names(), std::set<std::string>{"n"});
    EXPECT_EQ(plain.height->names(), (std::set<std::string>{"block", "zip"}));
    const TextureSpec all = texture(
        "width = \"n\", height = \"2\", pitch = \"n + 8\", channels = 2, filter = \"linear\", "
        "address = \"mirror\", normalized = true, read = \"normalized\"",
        "uint8");
    EXPECT_EQ(all.sampling, (TextureSampling{2, Filter::linear, Address::mirror, true, true}));
    EXPECT_EQ(all.pitch->bind({{"n", std::int64_t{8}}}).constant_value(), Scalar(std::int64_t{16}));
    EXPECT_EQ(texture(std::string(kPlane) + ", address = \"border\"").sampling.address,
              Address::border);
    EXPECT_EQ(
        texture(std::string(kPlane) + ", address = \"wrap\", normalized = true").sampling.address,
        Address::wrap);
}

TEST(TextureReader, RefusesWhatIsNoTexture) {
    expect_texture_refused("widht = \"n\"", "unknown key \"widht\"");
    expect_texture_refused("width = \"n\"", "needs both width and height, for tex2D, or neither");
    expect_texture_refused("height = \"n\"", "needs both width and height");
    expect_texture_refused("width = \"n\", height = \"m\"", "is not known here");
    expect_texture_refused("channels = 3", "must be 1, 2 or 4");
    expect_texture_refused("channels = \"2\"", "must be 1, 2 or 4, a number without quotes");
    const std::string plane = std::string(kPlane) + ", ";
    expect_texture_refused(plane + "filter = \"cubic\"",
                           "filter of texture of argument values must be one of point, linear");
    expect_texture_refused(plane + "address = \"repeat\"",
                           "must be one of clamp, border, wrap, mirror");
    expect_texture_refused(plane + "read = \"float\"", "must be one of element, normalized");
    expect_texture_refused(plane + "normalized = 1", "must be true or false");
}

TEST(TextureReader, RefusesWhatHardwareDoesNotDo) {
    for (const char* key :
         {"pitch = \"n\"", "filter = \"linear\"", "address = \"clamp\"", "normalized = false"}) {
        expect_texture_refused(key, "but no width and height");
    }
    const std::string plane = std::string(kPlane) + ", ";
    for (const char* type : {"float64", "int64", "bfloat16"}) {
        expect_texture_refused(kPlane, fmt::format("cannot hold {}", type), type);
    }
    for (const char* address : {"wrap", "mirror"}) {
        expect_texture_refused(plane + fmt::format("address = \"{}\"", address),
                               "only with normalized = true");
    }
    expect_texture_refused(plane + "read = \"normalized\"", "integers of 8 or 16 bits alone");
    expect_texture_refused(plane + "read = \"normalized\"", "integers of 8 or 16 bits alone",
                           "int32");
    expect_texture_refused(plane + "filter = \"linear\"", "filters integers", "uint8");
    // The type parameter may be an integer, which is not filtered.
    EXPECT_EQ(texture(kPlane, "element").sampling.filter, Filter::point);
    expect_texture_refused(plane + "filter = \"linear\"", "filters integers", "element");
}

TEST(TextureReader, RefusesTexturesWhereAnArgumentCannotHaveOne) {
    for (const char* const access : {"out", "inout", "scratch"}) {
        expect_line_refused(
            20,
            fmt::format(
                "values = {{ access = \"{}\", type = \"element\", count = \"n\", texture = {{}} }}",
                access),
            "argument values has a texture, which only arguments with access = \"in\" may have");
    }
    for (const char* key : {"constant = \"c\"", "alignment = 16"}) {
        expect_line_refused(20, argument_line("", "float32", fmt::format(", {}", key)),
                            "has a texture, so it cannot have");
    }
    expect_line_refused(
        20, "values = { access = \"in\", type = \"element\", count = \"n\", texture = true }",
        "texture of argument values must be a table");
    std::string many;
    for (int i = 0; i < 9; ++i) {
        many += fmt::format(
            "t{} = {{ access = \"in\", type = \"int8\", count = \"1\", texture = {{}} }}\n", i);
    }
    expect_error(ErrorKind::usage, "one too many",
                 [&] { parse(with_line(20, many + kLines[19])); });
}

TEST(TextureReader, RefusesTexturesOfTheHost) {
    std::vector<std::string> lines = kLines;
    lines[2] = "backend = \"host\"";
    lines[5] = "    \"block <= cores\",";
    lines[19] = argument_line("");
    expect_refused_at(20, "which only CUDA templates have", text_of(lines));
}

}  // namespace
}  // namespace jitune::internal
