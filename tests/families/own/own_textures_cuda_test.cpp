// SPDX-License-Identifier: Apache-2.0
// A kernel of one's own that takes an image as a texture object, on the fake driver: tuned, called,
// captured.

#include <algorithm>

#include "dispatch/engine.hpp"
#include "dispatch/session_access.hpp"
#include "fake/fake_cuda.hpp"
#include "families/families.hpp"
#include "fixtures/expect_error.hpp"
#include "fixtures/texture_kernels.hpp"
#include "jitune/tuned_kernel.hpp"
#include "support/temp_dir.hpp"

namespace jitune::internal {
namespace {

/// As kShiftedImage. The image is what the texture object says.
void shift_image(const FakeLaunch& launch, const FakeTexture& texture) {
    const auto& image = texture.resource.res.pitch2D;
    auto* const out = reinterpret_cast<float*>(launch.arguments.at(0));
    const auto texel = [&](std::size_t x, std::size_t y) {
        const auto row = image.devPtr + std::min(y, image.height - 1) * image.pitchInBytes;
        return reinterpret_cast<const float*>(row)[std::min(x, image.width - 1)];
    };
    for (std::size_t y = 0; y < launch.arguments.at(3); ++y) {
        for (std::size_t x = 0; x < launch.arguments.at(2); ++x) {
            out[y * launch.arguments.at(2) + x] = 0.375F * (texel(x, y) + texel(x, y + 1)) +
                                                  0.125F * (texel(x + 1, y) + texel(x + 1, y + 1));
        }
    }
}

class OwnTexturesCudaTest : public testing::Test {
protected:
    OwnTexturesCudaTest() {
        fake_.make_current(fake_.primary_context(0));
        fake_.on_launch = [this](FakeLaunch& launch) {
            launch.nanoseconds = 1e6;
            last_ = launch;
            if (launch.expression == "shift") {
                for (const FakeTexture& texture : fake_.textures()) {
                    if (texture.handle == launch.arguments.at(1)) {
                        shift_image(launch, texture);
                    }
                }
            }
            return CUDA_SUCCESS;
        };
        Options options;
        options.database.clear();
        options.budget = std::chrono::milliseconds(0);  // tries all candidates
        options.log_level = LogLevel::off;
        options.on_miss = TunePolicy::now;
        options.worker = "none";
        std::vector<std::unique_ptr<Platform>> platforms;
        platforms.push_back(make_cuda_platform(fake_.tables(), Log(LogLevel::off)));
        session_ = SessionAccess::make(
            std::make_unique<Engine>(options, std::move(platforms), families()));
        image_ = fake_.allocate(104 * 10 * sizeof(float));
        out_ = fake_.allocate(100 * 10 * sizeof(float));
        std::fill_n(image(), 104 * 10, 0.0F);
        image()[104 + 2] = 8;
    }
    ~OwnTexturesCudaTest() override {
        fake_.free(image_);
        fake_.free(out_);
    }

    [[nodiscard]] float* image() const { return reinterpret_cast<float*>(image_); }
    [[nodiscard]] float* out() const { return reinterpret_cast<float*>(out_); }

    FakeCuda fake_;
    FakeLaunch last_;
    TempDir folder_;
    CUdeviceptr image_ = 0, out_ = 0;
    std::unique_ptr<Session> session_;
};

TEST_F(OwnTexturesCudaTest, TunesAndThenReusesTheObjectOfAnArray) {
    {
        const TunedKernel kernel(folder_.write("shift.cu", kShiftedImage), {}, *session_);
        kernel.launch({100, 10}, {image(), out()});
        EXPECT_EQ(session_->counters().tunings, 1);
        EXPECT_EQ(out()[100 + 2], 3);
        EXPECT_EQ(out()[100 + 1], 1);
        EXPECT_EQ(out()[0 + 2], 3);
        ASSERT_EQ(fake_.textures().size(), 1U);  // those of candidates are gone with them
        const int made = fake_.calls("cuTexObjectCreate");
        kernel.launch({100, 10}, {image(), out()});
        kernel.launch({100, 10}, {image(), out()});
        EXPECT_EQ(fake_.calls("cuTexObjectCreate"), made);
        EXPECT_EQ(last_.arguments.at(1), fake_.textures()[0].handle);
    }
    session_.reset();
    EXPECT_TRUE(fake_.textures().empty());
    EXPECT_TRUE(fake_.violations().empty()) << fake_.violations().front();
}

TEST_F(OwnTexturesCudaTest, MakesTheObjectOfAPreparedCallWhileItIsCaptured) {
    const TunedKernel kernel(folder_.write("shift.cu", kShiftedImage), {}, *session_);
    const PreparedKernel prepared = kernel.prepare({100, 10});
    CUstream stream = fake_.make_stream();
    fake_.begin_capture(stream);
    prepared({image(), out()}, stream);
    EXPECT_TRUE(fake_.end_capture(stream));
    ASSERT_EQ(fake_.captured().size(), 1U);
    ASSERT_EQ(fake_.textures().size(), 1U);
    shift_image(fake_.captured().front(), fake_.textures().front());
    EXPECT_EQ(out()[100 + 2], 3);
}

TEST_F(OwnTexturesCudaTest, RefusesAnArrayThatNoTextureCanHave) {
    const TunedKernel kernel(folder_.write("shift.cu", kShiftedImage), {}, *session_);
    expect_error(ErrorKind::usage,
                 "argument image must be a pointer to float32, not null and "
                 "aligned to 512 bytes",
                 [&] {
                     kernel.launch({100, 10}, {image() + 8, out()});
                 });
    EXPECT_EQ(fake_.calls("cuTexObjectCreate"), 0);
}

}  // namespace
}  // namespace jitune::internal
