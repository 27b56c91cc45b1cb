// SPDX-License-Identifier: Apache-2.0
#include "dispatch/session_access.hpp"
#include "families/entropy/entropy_kernel.hpp"
#include "fixtures/entropy_case.hpp"
#include "fixtures/gpu_fixture.hpp"
#include "jitune/entropy.hpp"
#include "tuning/tuner.hpp"

namespace jitune::internal {
namespace {

class EntropyGpu : public GpuFixture {
protected:
    template <class T>
    void expect_right(std::int64_t rows, std::int64_t columns, const Entropy& entropy,
                      std::size_t offset = 0) {
        const EntropyCase<T> one(rows, columns, entropy);
        const DeviceArray<T> input(*driver_, one.elements, offset);
        const DeviceArray<float> output(*driver_, one.elements.size(), offset);
        tuned_entropy(input.data(), rows, columns, output.data(), entropy, nullptr, session_);
        EXPECT_EQ(one.judge(output.download()), "")
            << rows << "x" << columns << " window " << entropy.window << " levels "
            << entropy.levels << " offset " << offset;
    }

    /// Every configuration of a problem passes every check.
    void expect_all_right(ElementType element, std::int64_t size, const Entropy& entropy,
                          std::size_t most) {
        Engine& engine = SessionAccess::engine(session_);
        const Kernel& kernel = entropy_kernel(PlatformKind::cuda);
        const Problem problem = entropy_problem({element, size, size, entropy});
        BinaryCache binaries;
        const TuneReport report = tune({engine.device("cuda"), kernel, problem},
                                       {.max_evaluations = most}, {}, binaries, engine.log());
        for (const Measurement& measurement : report.measurements) {
            EXPECT_EQ(measurement.verdict, Verdict::timed)
                << measurement.configuration << ": " << measurement.reason;
        }
    }
};

TEST_F(EntropyGpu, IsRightForThinPrimeAlignedAndMisalignedArrays) {
    const std::pair<std::int64_t, std::int64_t> shapes[] = {
        {1, 1}, {1, 97}, {89, 1}, {2, 3}, {53, 131}, {300, 512}, {1009, 1021}};
    for (const auto& [rows, columns] : shapes) {
        for (const std::size_t offset : {0U, 1U, 3U}) {
            expect_right<float>(rows, columns, {}, offset);
            expect_right<std::uint8_t>(rows, columns, {}, offset);
            expect_right<std::int32_t>(rows, columns, {7, 20}, offset);
            expect_right<std::uint8_t>(rows, columns, {15, 256}, offset);
        }
    }
}

TEST_F(EntropyGpu, EveryWindowAndWordIsRight) {
    for (const int window : {3, 5, 7, 9, 11, 13, 15}) {
        for (const int levels : {2, 8, 9, 16, 17, 32, 33, 256}) {
            expect_right<float>(257, 384, {window, levels});
        }
    }
}

TEST_F(EntropyGpu, HostMemoryIsCopiedToTheGpuAndBack) {
    Options options = quick_options(TunePolicy::template_default);
    options.device = "cuda";
    Session session(options);
    const EntropyCase<float> one(200, 300, {});
    EXPECT_EQ(one.judge(tuned_entropy(one.elements, 200, 300, {}, session)), "");
}

TEST_F(EntropyGpu, ConfigurationsOfLargeArraysPassEveryCheck) {
    expect_all_right(ElementType::float32, 2560, {5, 16}, 60);
    expect_all_right(ElementType::float32, 1023, {5, 16}, 20);
}

/// Apart, since tools that look for races take long.
TEST_F(EntropyGpu, ConfigurationsOfSmallArraysPassEveryCheck) {
    expect_all_right(ElementType::float32, 333, {5, 16}, 40);
    expect_all_right(ElementType::uint8, 302, {3, 8}, 20);
    expect_all_right(ElementType::uint8, 400, {9, 32}, 20);
    expect_all_right(ElementType::uint8, 400, {11, 64}, 20);
    expect_all_right(ElementType::int32, 400, {15, 256}, 20);
}

}  // namespace
}  // namespace jitune::internal
