// SPDX-License-Identifier: Apache-2.0
// TunedKernel on the fake driver, with an example that is a GPU's: two-dimensional grids, macros, a
// host function as its reference, a value that each call brings.

#include <bit>
#include <numeric>

#include "dispatch/engine.hpp"
#include "dispatch/session_access.hpp"
#include "fake/fake_cuda.hpp"
#include "families/families.hpp"
#include "fixtures/expect_error.hpp"
#include "jitune/tuned_kernel.hpp"

namespace jitune::internal {
namespace {

const std::filesystem::path kExamples = JITUNE_EXAMPLES_DIR;

template <class T>
T* pointer(const FakeLaunch& launch, std::size_t argument) {
    return reinterpret_cast<T*>(launch.arguments.at(argument));
}

/// As examples/transpose.cu.
void transpose(const FakeLaunch& launch) {
    const auto rows = launch.arguments.at(2);
    const auto columns = launch.arguments.at(3);
    for (std::uint64_t y = 0; y < rows; ++y) {
        for (std::uint64_t x = 0; x < columns; ++x) {
            pointer<float>(launch, 0)[x * rows + y] =
                pointer<const float>(launch, 1)[y * columns + x];
        }
    }
}

/// As examples/axpby.cu of float32.
void axpby(const FakeLaunch& launch) {
    const auto value = [&](std::size_t argument) {
        return std::bit_cast<float>(static_cast<std::uint32_t>(launch.arguments.at(argument)));
    };
    for (std::uint64_t i = 0; i < launch.arguments.at(4); ++i) {
        float& y = pointer<float>(launch, 0)[i];
        y = value(1) * pointer<const float>(launch, 2)[i] + value(3) * y;
    }
}

class TunedKernelCudaTest : public testing::Test {
protected:
    TunedKernelCudaTest() {
        fake_.make_current(fake_.primary_context(0));
        fake_.on_launch = [this](FakeLaunch& launch) {
            launch.nanoseconds = 1e6;
            last_ = launch;
            if (launch.expression == "transpose") {
                transpose(launch);
            } else if (launch.expression == "axpby<float>") {
                axpby(launch);
            }
            return CUDA_SUCCESS;
        };
    }

    std::unique_ptr<Session> session(TunePolicy policy) const {
        Options options;
        options.database.clear();
        options.budget = std::chrono::milliseconds(0);  // tries all candidates
        options.log_level = LogLevel::off;
        options.on_miss = policy;
        options.worker = "none";
        std::vector<std::unique_ptr<Platform>> platforms;
        platforms.push_back(make_cuda_platform(fake_.tables(), Log(LogLevel::off)));
        return SessionAccess::make(
            std::make_unique<Engine>(options, std::move(platforms), families()));
    }

    FakeCuda fake_;
    FakeLaunch last_;
};

TEST_F(TunedKernelCudaTest, TunesAgainstTheHostFunctionAndThenOnlyLaunches) {
    const auto tuning = session(TunePolicy::now);
    const TunedKernel kernel(kExamples / "transpose.cu", {}, *tuning);
    std::vector<float> matrix(50 * 70), result(50 * 70);
    std::iota(matrix.begin(), matrix.end(), 0.0f);
    kernel.launch({50, 70}, {matrix.data(), result.data()});
    EXPECT_EQ(result[3 * 50 + 2], matrix[2 * 70 + 3]);
    const Counters tuned = tuning->counters();
    EXPECT_EQ(tuned.tunings, 1);
    CUstream stream = fake_.make_stream();
    kernel.launch({50, 70}, {matrix.data(), result.data()}, stream);
    EXPECT_EQ(last_.stream, stream);
    EXPECT_GT(last_.grid.y, 1U);
    EXPECT_EQ(tuning->counters().compiles, tuned.compiles);
}

TEST_F(TunedKernelCudaTest, TunesWhatIsChangedInPlace) {
    const auto tuning = session(TunePolicy::now);
    const TunedKernel kernel(kExamples / "axpby.cu", {{"element", "float32"}}, *tuning);
    std::vector<float> y{1, 2, 3}, x{10, 20, 30};
    kernel.launch({3}, {y.data(), 2.0f, x.data(), -1.0f});
    EXPECT_EQ(y, (std::vector<float>{19, 38, 57}));
    EXPECT_EQ(tuning->counters().tunings, 1);
}

TEST_F(TunedKernelCudaTest, PassesValuesAsTheirBits) {
    const auto plain = session(TunePolicy::template_default);
    const TunedKernel kernel(kExamples / "convolution.cu", {}, *plain);
    std::vector<float> image(40 * 30), filter(9), result(40 * 30);
    kernel.launch({40, 30, 1}, {image.data(), filter.data(), 0.25f, result.data()});
    EXPECT_EQ(last_.expression, "convolution<float, 16, 16, 1, 1, Staging::direct>");
    EXPECT_EQ(std::bit_cast<float>(static_cast<std::uint32_t>(last_.arguments.at(2))), 0.25f);
    EXPECT_EQ(last_.grid.x, 2U);
    EXPECT_EQ(last_.grid.y, 3U);
    kernel.launch({{"radius", 1}, {"width", 30}, {"height", 40}},
                  {image.data(), filter.data(), -2.0f, result.data()});
    EXPECT_EQ(std::bit_cast<float>(static_cast<std::uint32_t>(last_.arguments.at(2))), -2.0f);
    EXPECT_EQ(plain->counters().compiles, 1);
}

TEST_F(TunedKernelCudaTest, APreparedKernelIsCapturedAndReplayed) {
    const auto tuning = session(TunePolicy::now);
    const TunedKernel kernel(kExamples / "axpby.cu", {{"element", "float32"}}, *tuning);
    const PreparedKernel prepared = kernel.prepare({3});
    EXPECT_EQ(prepared.info().origin, Origin::tuned);
    EXPECT_EQ(prepared.info().device, "cuda:0");
    std::vector<float> y{1, 2, 3}, x{10, 20, 30};
    CUstream stream = fake_.make_stream();
    fake_.begin_capture(stream);
    const std::vector<KernelArgument> arguments{y.data(), 2.0f, x.data(), -1.0f};
    prepared(arguments, stream);
    EXPECT_TRUE(fake_.end_capture(stream));
    EXPECT_EQ(y, (std::vector<float>{1, 2, 3}));
    ASSERT_EQ(fake_.captured().size(), 1U);
    axpby(fake_.captured().front());
    EXPECT_EQ(y, (std::vector<float>{19, 38, 57}));
    EXPECT_EQ(fake_.calls_during_capture(), std::vector<std::string>{"cuLaunchKernelEx"});
}

TEST_F(TunedKernelCudaTest, APreparedKernelRefusesArgumentsThatDoNotFitAndKeepsTheCapture) {
    const auto plain = session(TunePolicy::template_default);
    const TunedKernel kernel(kExamples / "axpby.cu", {{"element", "float32"}}, *plain);
    const PreparedKernel prepared = kernel.prepare({3});
    EXPECT_EQ(prepared.info().origin, Origin::template_default);
    CUstream stream = fake_.make_stream();
    fake_.begin_capture(stream);
    float* nothing = nullptr;
    expect_error(ErrorKind::usage, "must be a pointer to float32, not null", [&] {
        prepared({nothing, 2.0f, nothing, -1.0f}, stream);
    });
    EXPECT_TRUE(fake_.end_capture(stream));
    EXPECT_TRUE(fake_.captured().empty());
}

TEST_F(TunedKernelCudaTest, PreparesNothingWhileAStreamOfTheContextIsCaptured) {
    const auto plain = session(TunePolicy::template_default);
    const TunedKernel kernel(kExamples / "axpby.cu", {{"element", "float32"}}, *plain);
    CUstream stream = fake_.make_stream();
    fake_.begin_capture(stream);
    expect_error(ErrorKind::not_prepared, "TunedKernel::prepare",
                 [&] { static_cast<void>(kernel.prepare({3})); });
    EXPECT_TRUE(fake_.end_capture(stream));
}

}  // namespace
}  // namespace jitune::internal
