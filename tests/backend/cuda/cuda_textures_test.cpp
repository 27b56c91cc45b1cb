// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <limits>

#include "fake/fake_cuda_fixture.hpp"

namespace jitune::internal {
namespace {

using Filter = TextureSampling::Filter;
using Address = TextureSampling::Address;

/// Launches of a kernel that takes an array, as a texture object, and a number.
class CudaTexturesTest : public FakeCudaFixture {
protected:
    void SetUp() override { program_ = load("k<1>"); }
    void TearDown() override {
        program_.reset();
        FakeCudaFixture::TearDown();
    }

    static constexpr std::uint64_t kNumber = 77;

    /// 64 x 4 floats, whose rows follow one another.
    static TextureView rows() {
        return {.array = 0,
                .element = ElementType::float32,
                .sampling = {1, Filter::point, Address::clamp, false, false},
                .width = 64,
                .height = 4,
                .pitch = 64,
                .bytes = 1024};
    }
    static TextureView line() {
        TextureView view = rows();
        view.height = 0;
        view.pitch = 0;
        return view;
    }

    static Launch launch_of(const TextureView& view, CUdeviceptr array) {
        Launch launch = plain_launch();
        launch.steps[0].argument_count = 2;
        launch.steps[0].arguments = {1, 0};
        launch.array_count = 1;
        launch.array_cells[0] = 0;
        launch.cells = {array, kNumber};
        launch.texture_count = 1;
        launch.textures[0] = view;
        return launch;
    }
    void run(const TextureView& view, CUdeviceptr array) {
        program_->launch(launch_of(view, array), stream());
    }
    FakeTexture made(const TextureView& view) {
        run(view, kAddress);
        return fake.textures().back();
    }
    std::string refusal(const TextureView& view) {
        const int before = fake.calls("cuTexObjectCreate");
        const std::string message = expect_error(ErrorKind::usage, [&] { run(view, kAddress); });
        EXPECT_EQ(fake.calls("cuTexObjectCreate"), before);
        return message;
    }

    static constexpr CUdeviceptr kAddress = 0x20000;
    std::shared_ptr<const Program> program_;
};

TEST_F(CudaTexturesTest, PassesTheObjectInPlaceOfTheArray) {
    run(rows(), kAddress);
    const auto textures = fake.textures();
    ASSERT_EQ(textures.size(), 1U);
    EXPECT_EQ(fake.launches().back().arguments,
              (std::vector<std::uint64_t>{kNumber, textures[0].handle}));
    EXPECT_EQ(textures[0].context, fake.primary_context(0));
    Launch plain = launch_of(rows(), kAddress);
    plain.texture_count = 0;
    program_->launch(plain, stream());
    EXPECT_EQ(fake.launches().back().arguments, (std::vector<std::uint64_t>{kNumber, kAddress}));
}

TEST_F(CudaTexturesTest, DescribesRowsInMemory) {
    TextureView view = rows();
    view.pitch = 128;
    view.bytes = (3 * 128 + 64) * 4;
    const FakeTexture texture = made(view);
    ASSERT_EQ(texture.resource.resType, CU_RESOURCE_TYPE_PITCH2D);
    const auto& memory = texture.resource.res.pitch2D;
    EXPECT_EQ(memory.devPtr, kAddress);
    EXPECT_EQ(memory.format, CU_AD_FORMAT_FLOAT);
    EXPECT_EQ(memory.numChannels, 1U);
    EXPECT_EQ(memory.width, 64U);
    EXPECT_EQ(memory.height, 4U);
    EXPECT_EQ(memory.pitchInBytes, 512U);
    EXPECT_EQ(texture.texture.filterMode, CU_TR_FILTER_MODE_POINT);
    EXPECT_EQ(texture.texture.addressMode[0], CU_TR_ADDRESS_MODE_CLAMP);
    EXPECT_EQ(texture.texture.addressMode[1], CU_TR_ADDRESS_MODE_CLAMP);
    EXPECT_EQ(texture.texture.flags, 0U);
}

TEST_F(CudaTexturesTest, DescribesLinearMemory) {
    TextureView view = line();
    view.element = ElementType::uint16;
    view.sampling.channels = 2;
    const FakeTexture texture = made(view);
    ASSERT_EQ(texture.resource.resType, CU_RESOURCE_TYPE_LINEAR);
    const auto& memory = texture.resource.res.linear;
    EXPECT_EQ(memory.devPtr, kAddress);
    EXPECT_EQ(memory.format, CU_AD_FORMAT_UNSIGNED_INT16);
    EXPECT_EQ(memory.numChannels, 2U);
    EXPECT_EQ(memory.sizeInBytes, 64U * 4);
    EXPECT_EQ(texture.texture.flags, CU_TRSF_READ_AS_INTEGER);
}

TEST_F(CudaTexturesTest, DescribesHowTexelsAreRead) {
    const auto described = [&](const TextureSampling& sampling, ElementType element) {
        TextureView view = rows();
        view.element = element;
        view.sampling = sampling;
        view.bytes = 4096;
        return made(view).texture;
    };
    const auto wrapped =
        described({1, Filter::linear, Address::wrap, true, false}, ElementType::float16);
    EXPECT_EQ(wrapped.filterMode, CU_TR_FILTER_MODE_LINEAR);
    EXPECT_EQ(wrapped.addressMode[0], CU_TR_ADDRESS_MODE_WRAP);
    EXPECT_EQ(wrapped.addressMode[1], CU_TR_ADDRESS_MODE_WRAP);
    EXPECT_EQ(wrapped.flags, CU_TRSF_NORMALIZED_COORDINATES);
    const auto mirrored =
        described({4, Filter::linear, Address::mirror, true, true}, ElementType::uint8);
    EXPECT_EQ(mirrored.addressMode[1], CU_TR_ADDRESS_MODE_MIRROR);
    EXPECT_EQ(mirrored.flags, CU_TRSF_NORMALIZED_COORDINATES);
    EXPECT_EQ(described({1, Filter::point, Address::border, false, true}, ElementType::int8).flags,
              0U);
    EXPECT_EQ(described({1, Filter::point, Address::border, false, false}, ElementType::int32)
                  .addressMode[0],
              CU_TR_ADDRESS_MODE_BORDER);
}

TEST_F(CudaTexturesTest, GivesEachTypeItsFormat) {
    const std::pair<ElementType, CUarray_format> formats[] = {
        {ElementType::int8, CU_AD_FORMAT_SIGNED_INT8},
        {ElementType::uint8, CU_AD_FORMAT_UNSIGNED_INT8},
        {ElementType::int16, CU_AD_FORMAT_SIGNED_INT16},
        {ElementType::uint16, CU_AD_FORMAT_UNSIGNED_INT16},
        {ElementType::int32, CU_AD_FORMAT_SIGNED_INT32},
        {ElementType::uint32, CU_AD_FORMAT_UNSIGNED_INT32},
        {ElementType::float16, CU_AD_FORMAT_HALF},
        {ElementType::float32, CU_AD_FORMAT_FLOAT},
    };
    for (const auto& [element, format] : formats) {
        TextureView view = line();
        view.element = element;
        EXPECT_EQ(made(view).resource.res.linear.format, format) << static_cast<int>(element);
    }
}

TEST_F(CudaTexturesTest, MakesOneObjectForEachArrayViewAndContext) {
    for (int i = 0; i < 3; ++i) {
        run(rows(), kAddress);
    }
    EXPECT_EQ(fake.calls("cuTexObjectCreate"), 1);
    run(rows(), kAddress + 512);
    run(rows(), kAddress);
    TextureView narrow = rows();
    narrow.width = 32;
    run(narrow, kAddress);
    run(line(), kAddress);
    EXPECT_EQ(fake.calls("cuTexObjectCreate"), 4);
    const CUcontext own = fake.make_context(0);
    fake.make_current(own);
    CUstream of_own = fake.make_stream();
    program_->launch(launch_of(rows(), kAddress), of_own);
    program_->launch(launch_of(rows(), kAddress), of_own);
    EXPECT_EQ(fake.calls("cuTexObjectCreate"), 5);
    EXPECT_EQ(fake.textures().back().context, own);
    EXPECT_EQ(fake.launches().back().arguments.back(), fake.textures().back().handle);
    fake.make_current(nullptr);
    run(rows(), kAddress);
    EXPECT_EQ(fake.launches().back().arguments.back(), fake.textures().front().handle);
    EXPECT_EQ(fake.calls("cuTexObjectDestroy"), 0);
    program_.reset();
    EXPECT_EQ(fake.calls("cuTexObjectDestroy"), 4);
    EXPECT_TRUE(fake.end_context(own));  // and its object with it
    EXPECT_TRUE(fake.textures().empty());
}

TEST_F(CudaTexturesTest, MakesObjectsInTheContextOfTheStream) {
    const CUcontext primary = fake.primary_context(0);
    const CUcontext own = fake.make_context(0);
    fake.make_current(own);
    const CUstream of_own = fake.make_stream();
    fake.make_current(primary);
    const CUstream of_primary = fake.make_stream();
    program_->launch(launch_of(rows(), kAddress), of_own);
    EXPECT_EQ(fake.textures().back().context, own);
    fake.make_current(fake.primary_context(1));
    program_->launch(launch_of(rows(), kAddress), of_primary);
    EXPECT_EQ(fake.textures().back().context, primary);
    fake.make_current(nullptr);
    program_.reset();
    ASSERT_EQ(fake.textures().size(), 1U) << "that of the primary context is destroyed";
    EXPECT_EQ(fake.textures().back().context, own);
    fake.end_context(own);
}

TEST_F(CudaTexturesTest, DestroysObjectsInTheContextThatTheyLiveIn) {
    run(rows(), kAddress);
    fake.make_current(fake.make_context(0));
    program_.reset();
    EXPECT_EQ(fake.calls("cuTexObjectDestroy"), 1);
    EXPECT_TRUE(fake.textures().empty());
    fake.make_current(nullptr);
}

TEST_F(CudaTexturesTest, LeavesObjectsToADeviceThatHangs) {
    run(rows(), kAddress);
    fake.hang(true);
    EXPECT_TRUE(device().make_bench()->run(*program_, launch_of(rows(), kAddress),
                                           std::chrono::milliseconds(1)));
    program_.reset();
    EXPECT_EQ(fake.calls("cuTexObjectDestroy"), 0);
    expect_leaks_ = true;
}

TEST_F(CudaTexturesTest, MakesAnObjectDuringACaptureAndKeepsIt) {
    std::unique_ptr<ReadyLaunch> ready;
    program_->prepare(launch_of(rows(), kAddress), ready);
    fake.make_current(fake.primary_context(0));
    fake.begin_capture(stream());
    void* array = argument_of(kAddress);
    (*ready)(&array, stream());
    EXPECT_TRUE(fake.end_capture(stream()));
    ASSERT_EQ(fake.captured().size(), 1U);
    EXPECT_EQ(fake.captured()[0].arguments.back(), fake.textures().at(0).handle);
    for (CUdeviceptr i = 1; i < 1000; ++i) {
        run(rows(), kAddress + i * 512);
    }
    EXPECT_EQ(fake.textures().size(), 1000U);  // the graph's is among them
    fake.make_current(nullptr);
}

TEST_F(CudaTexturesTest, TimesLaunchesWithTextures) {
    const std::vector<Launch> chain{launch_of(rows(), kAddress), launch_of(rows(), kAddress + 512)};
    const auto bench = device().make_bench();
    const auto timer = bench->timer(*program_, chain, 1, false);
    EXPECT_GT(std::get<double>(timer->sample(std::chrono::milliseconds(100))), 0);
    EXPECT_EQ(fake.textures().size(), 2U);
    EXPECT_EQ(fake.launches().back().arguments.back(), fake.textures().back().handle);
}

TEST_F(CudaTexturesTest, RefusesRowsThatTheDeviceCannotRead) {
    TextureView odd = rows();
    odd.width = odd.pitch = 37;
    EXPECT_EQ(refusal(odd),
              "make a texture object of argument 1 of the call, 37 x 4 texels of 4 bytes: its "
              "rows are 148 bytes apart, which must be a multiple of 32: pad the rows and give "
              "the texture their pitch, or constrain the sizes");
    TextureView narrow = rows();
    narrow.pitch = 32;
    EXPECT_NE(refusal(narrow).find("pitch of 32 texels is less than its width"), std::string::npos);
    TextureView tall = rows();
    tall.height = 65001;
    EXPECT_NE(refusal(tall).find("its height is 65001, and the device's textures have at most "
                                 "65000"),
              std::string::npos);
    TextureView wide = rows();
    wide.width = wide.pitch = 131104;
    EXPECT_NE(refusal(wide).find("its width is 131104"), std::string::npos);
    TextureView far = rows();
    far.pitch = 1 << 20;
    EXPECT_NE(refusal(far).find("its pitch in bytes is 4194304"), std::string::npos);
    TextureView highest = rows();
    highest.pitch = std::numeric_limits<std::uint32_t>::max();
    EXPECT_NE(refusal(highest).find("its pitch in bytes is 17179869180"), std::string::npos);
    TextureView longer = line();
    longer.width = (1 << 28) + 1;
    EXPECT_NE(refusal(longer).find("its width is 268435457"), std::string::npos);
}

TEST_F(CudaTexturesTest, RefusesTexturesThatAreLongerThanTheirArrays) {
    for (TextureView view : {rows(), line()}) {
        view.bytes = view.is_linear() ? 255 : 1023;
        EXPECT_NE(refusal(view).find(view.is_linear() ? "it has 256 bytes, and the array 255"
                                                      : "it has 1024 bytes, and the array 1023"),
                  std::string::npos);
    }
}

TEST_F(CudaTexturesTest, SaysWhatTheDriverThinksOfAnArray) {
    const std::string message = expect_error(ErrorKind::device, [&] { run(rows(), kAddress + 4); });
    EXPECT_EQ(
        message,
        "make a texture object of argument 1 of the call, 64 x 4 texels of 4 bytes at "
        "0x20004, which must be device memory of the current context at a multiple of 512 "
        "bytes; it would be texture object 1 of the kernel, which keeps one for each array "
        "that it is called with: cuTexObjectCreate: CUDA_ERROR_INVALID_VALUE (invalid argument)");
    EXPECT_TRUE(fake.launches().empty());
    run(rows(), kAddress);
    EXPECT_EQ(fake.launches().size(), 1U);
}

TEST_F(CudaTexturesTest, ReportsALostContextAsALaunchDoes) {
    const auto bench = device().make_bench();
    fake.fail("cuTexObjectCreate", 1, CUDA_ERROR_ILLEGAL_ADDRESS);
    const auto failure =
        bench->run(*program_, launch_of(rows(), kAddress), std::chrono::milliseconds(100));
    ASSERT_TRUE(failure);
    EXPECT_TRUE(failure->fatal);
    EXPECT_TRUE(fake.textures().empty());
}

}  // namespace
}  // namespace jitune::internal
