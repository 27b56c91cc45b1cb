// SPDX-License-Identifier: Apache-2.0
#include <numeric>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "fake/fake_cuda_fixture.hpp"

// The kernel as host code, whose threads run in turn.
namespace on_host {

struct Place {
    unsigned x;
};
Place gridDim{3}, blockDim{5}, blockIdx{0}, threadIdx{0};

struct __attribute__((may_alias)) uint4 {
    unsigned x, y, z, w;
};

#define __global__ static
#include "backend/cuda/measure/compare_bytes.cu"
#undef __global__

bool equal(const unsigned char* one, const unsigned char* other, std::size_t bytes) {
    unsigned different = 0;
    for (blockIdx.x = 0; blockIdx.x < gridDim.x; ++blockIdx.x) {
        for (threadIdx.x = 0; threadIdx.x < blockDim.x; ++threadIdx.x) {
            jitune::compare_bytes(one, other, bytes, &different);
        }
    }
    return different == 0;
}

}  // namespace on_host

namespace jitune::internal {
namespace {

/// Two arrays with the same `bytes` bytes at `first` and at `second`, and nothing else in common.
struct Twins {
    Twins(std::size_t first, std::size_t second, std::size_t bytes) {
        std::fill(a.begin(), a.end(), std::uint8_t{0xaa});
        std::fill(b.begin(), b.end(), std::uint8_t{0xbb});
        std::iota(a.begin() + static_cast<std::ptrdiff_t>(first),
                  a.begin() + static_cast<std::ptrdiff_t>(first + bytes), std::uint8_t{0});
        std::copy_n(a.begin() + static_cast<std::ptrdiff_t>(first), bytes,
                    b.begin() + static_cast<std::ptrdiff_t>(second));
    }
    alignas(16) std::array<std::uint8_t, 512> a, b;
};

TEST(CompareBytes, SeesEachByteAndNoOtherAtAnyAlignment) {
    for (std::size_t first = 0; first < 17; ++first) {
        for (std::size_t second = 0; second < 17; ++second) {
            for (const std::size_t bytes : {0U, 1U, 7U, 16U, 31U, 100U, 301U}) {
                Twins twins(first, second, bytes);
                const auto* const one = twins.a.data() + first;
                const auto* const other = twins.b.data() + second;
                ASSERT_TRUE(on_host::equal(one, other, bytes)) << first << ' ' << second;
                for (std::size_t i = 0; i < bytes; ++i) {
                    twins.a[first + i] ^= 0x80;
                    ASSERT_FALSE(on_host::equal(one, other, bytes)) << first << ' ' << second;
                    twins.a[first + i] ^= 0x80;
                }
            }
        }
    }
}

class MemoryComparisonTest : public FakeCudaFixture {
protected:
    std::unique_ptr<Bench> bench_ = device().make_bench();
    std::unique_ptr<DeviceMemory> one_ = bench_->allocate(1000), other_ = bench_->allocate(1000);

    bool equal() { return bench_->equal(one_->data(), other_->data(), 1000); }

    void TearDown() override {
        one_.reset();
        other_.reset();
        bench_.reset();
        FakeCudaFixture::TearDown();
    }
};

TEST_F(MemoryComparisonTest, AsksTheDeviceInOrderWithWhatWasEnqueuedBefore) {
    bench_->fill(one_->data(), std::byte{1}, 1000);
    bench_->copy(other_->data(), one_->data(), 1000);
    EXPECT_TRUE(equal());
    bench_->fill(static_cast<std::byte*>(other_->data()) + 999, std::byte{2}, 1);
    EXPECT_FALSE(equal());
    bench_->fill(other_->data(), std::byte{1}, 1000);
    EXPECT_TRUE(equal()) << "an earlier answer has been left";
    for (const FakeLaunch& launch : fake.launches()) {
        EXPECT_EQ(launch.stream, fake.launches().front().stream);
    }
}

TEST_F(MemoryComparisonTest, CompilesOnceAndOnlyWhenItIsAsked) {
    EXPECT_EQ(nvrtc_loads, 0);
    equal();
    equal();
    EXPECT_EQ(fake.calls("nvrtcCompileProgram"), 1);
}

TEST_F(MemoryComparisonTest, CompilesOnceForAllBenchesOfADeviceAndAllTheyNeed) {
    equal();
    const auto other = device().make_bench();
    EXPECT_TRUE(other->equal(one_->data(), one_->data(), 1000));
    const MemoryRegion region{one_->data(), 1000};
    other->checksums({&region, 1});
    EXPECT_EQ(fake.calls("nvrtcCompileProgram"), 1);
}

TEST_F(MemoryComparisonTest, CompilesOnceForThreadsThatAskAtOnce) {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([this] {
            const auto bench = device().make_bench();
            EXPECT_TRUE(bench->equal(one_->data(), one_->data(), 1000));
        });
    }
    threads.clear();
    EXPECT_EQ(fake.calls("nvrtcCompileProgram"), 1);
}

TEST_F(MemoryComparisonTest, NeverTakesAFailureForAnAnswer) {
    bench_->copy(other_->data(), one_->data(), 1000);
    equal();
    for (const char* call :
         {"cuMemsetD8Async", "cuLaunchKernelEx", "cuMemcpyDtoHAsync", "cuStreamSynchronize"}) {
        fake.fail(call, 1, CUDA_ERROR_LAUNCH_FAILED);
        const std::string message = expect_error(ErrorKind::device, [&] { equal(); });
        EXPECT_NE(message.find("compare memory"), std::string::npos) << message;
        EXPECT_NE(message.find(call), std::string::npos) << message;
    }
    EXPECT_TRUE(equal());
}

}  // namespace
}  // namespace jitune::internal
