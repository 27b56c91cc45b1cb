// SPDX-License-Identifier: Apache-2.0
// Kernels of one's own that take arrays as texture objects.
#include <algorithm>
#include <memory>
#include <numeric>

#include "fixtures/expect_error.hpp"
#include "fixtures/own_kernel_gpu_fixture.hpp"
#include "fixtures/texture_kernels.hpp"
#include "jitune/tuned_kernel.hpp"

namespace jitune::internal {
namespace {

class OwnTexturesGpu : public OwnKernelGpuFixture {
protected:
    static constexpr std::size_t kCount = 1000;

    /// kGatheredPixels of black pixels, which reads values backwards.
    [[nodiscard]] TunedKernel backwards() {
        std::vector<std::int32_t> places(kCount);
        std::iota(places.rbegin(), places.rend(), 0);
        places_ = std::make_unique<DeviceArray<std::int32_t>>(*driver_, places);
        pixels_ = std::make_unique<DeviceArray<std::uint8_t>>(
            *driver_, std::vector<std::uint8_t>(4 * kCount));
        return TunedKernel(folder_.write("gather.cu", kGatheredPixels), {}, session_);
    }
    static std::vector<float> ascending(float from) {
        std::vector<float> values(kCount);
        std::iota(values.begin(), values.end(), from);
        return values;
    }
    static std::vector<float> descending(float from) {
        std::vector<float> values = ascending(from);
        std::reverse(values.begin(), values.end());
        return values;
    }

    /// Hardware filters with few digits.
    static void expect_near(const std::vector<float>& got, const std::vector<float>& expected) {
        ASSERT_EQ(got.size(), expected.size());
        for (std::size_t i = 0; i < got.size(); ++i) {
            ASSERT_NEAR(got[i], expected[i], 0.05F) << i;
        }
    }

    std::unique_ptr<DeviceArray<std::int32_t>> places_;
    std::unique_ptr<DeviceArray<std::uint8_t>> pixels_;
};

TEST_F(OwnTexturesGpu, TunesAKernelThatFiltersAnImage) {
    expect_all_right("shift.cu", kShiftedImage, {1021, 301});
}

TEST_F(OwnTexturesGpu, TunesAKernelThatFetchesFromLinearMemory) {
    expect_all_right("gather.cu", kGatheredPixels, {100'003});
}

TEST_F(OwnTexturesGpu, TunesAKernelThatReadsBeyondTheEdges) {
    expect_all_right("edges.cu", kEdgesOfImages, {1000, 301});
}

TEST_F(OwnTexturesGpu, FiltersTheImageOfEachCall) {
    const TunedKernel shift(folder_.write("shift.cu", kShiftedImage), {}, session_);
    const PreparedKernel prepared = shift.prepare({100, 10});
    const DeviceArray<float> out(*driver_, std::size_t{100 * 10});
    std::vector<float> image(104 * 10), expected(100 * 10);
    for (const float slope : {1.0F, 4.0F}) {
        for (std::size_t y = 0; y < 10; ++y) {
            for (std::size_t x = 0; x < 100; ++x) {
                image[y * 104 + x] = slope * static_cast<float>(x);
                expected[y * 100 + x] = slope * std::min(static_cast<float>(x) + 0.25F, 99.0F);
            }
        }
        const DeviceArray<float> of_call(*driver_, image);
        shift.launch({100, 10}, {of_call.data(), out.data()});
        expect_near(out.download(), expected);
        out.upload(std::vector<float>(100 * 10));
        prepared({of_call.data(), out.data()});
        expect_near(out.download(), expected);
    }
}

TEST_F(OwnTexturesGpu, ReadsWhatAnArrayHoldsNow) {
    const TunedKernel gather = backwards();
    const DeviceArray<float> out(*driver_, kCount);
    for (float from = 0; from < 3; ++from) {
        const DeviceArray<float> values(*driver_, ascending(from));  // at the last one's address
        gather.launch({kCount}, {values.data(), pixels_->data(), places_->data(), out.data()});
        EXPECT_EQ(out.download(), descending(from));
        values.upload(ascending(from + 10));
        gather.launch({kCount}, {values.data(), pixels_->data(), places_->data(), out.data()});
        EXPECT_EQ(out.download(), descending(from + 10));
    }
}

TEST_F(OwnTexturesGpu, ReplaysAGraphWhoseTexturesWereMadeInTheCapture) {
    const TunedKernel gather = backwards();
    const PreparedKernel prepared = gather.prepare({kCount});
    const DeviceArray<float> values(*driver_, ascending(0));
    const DeviceArray<float> others(*driver_, ascending(50));
    const DeviceArray<float> out(*driver_, kCount);
    CUstream stream = nullptr;
    ASSERT_EQ(driver_->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    ASSERT_EQ(driver_->cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
    prepared({values.data(), pixels_->data(), places_->data(), out.data()}, stream);
    CUgraph graph = nullptr;
    ASSERT_EQ(driver_->cuStreamEndCapture(stream, &graph), CUDA_SUCCESS);
    CUgraphExec replay = nullptr;
    ASSERT_EQ(driver_->cuGraphInstantiateWithFlags(&replay, graph, 0), CUDA_SUCCESS);
    for (float from = 0; from < 3; ++from) {
        values.upload(ascending(from));
        prepared({others.data(), pixels_->data(), places_->data(), out.data()});
        EXPECT_EQ(out.download(), descending(50));
        ASSERT_EQ(driver_->cuGraphLaunch(replay, stream), CUDA_SUCCESS);
        ASSERT_EQ(driver_->cuStreamSynchronize(stream), CUDA_SUCCESS);
        EXPECT_EQ(out.download(), descending(from));
    }
    driver_->cuGraphExecDestroy(replay);
    driver_->cuGraphDestroy(graph);
    driver_->cuStreamDestroy(stream);
}

TEST_F(OwnTexturesGpu, TunesOnACapturedCall) {
    const TunedKernel gather = backwards();
    const DeviceArray<float> values(*driver_, ascending(0));
    const DeviceArray<float> out(*driver_, kCount);
    gather.capture(folder_.path() / "capture");
    gather.launch({kCount}, {values.data(), pixels_->data(), places_->data(), out.data()});
    Engine& engine = SessionAccess::engine(session_);
    const Kernel kernel =
        kernel_from_file(folder_.path() / "gather.cu", {}, folder_.path() / "capture");
    const Problem problem = kernel_problem(kernel.kernel_template, {kCount}, {});
    EXPECT_EQ(kernel.workload->timed(problem).name, "the captured call");
    const TuneReport report = engine.tuner().tune({engine.device("cuda"), kernel, problem}, {});
    EXPECT_EQ(report.progress.failed, 0U);
}

TEST_F(OwnTexturesGpu, RefusesArraysThatNoTextureCanHave) {
    const DeviceArray<float> image(*driver_, std::size_t{104 * 10}, 8);
    const DeviceArray<float> out(*driver_, std::size_t{100 * 10});
    const TunedKernel shift(folder_.write("shift.cu", kShiftedImage), {}, session_);
    expect_error(ErrorKind::usage, "aligned to 512 bytes", [&] {
        shift.launch({100, 10}, {image.data(), out.data()});
    });
    std::string text = kShiftedImage;
    const std::string padding = ", pitch = \"pitch\"";
    text.erase(text.find(padding), padding.size());
    const TunedKernel tight(folder_.write("tight.cu", text), {}, session_);
    const DeviceArray<float> aligned(*driver_, std::size_t{104 * 10});
    expect_error(ErrorKind::usage, "rows are 148 bytes apart, which must be a multiple of 32", [&] {
        tight.launch({37, 10}, {aligned.data(), out.data()});
    });
}

}  // namespace
}  // namespace jitune::internal
