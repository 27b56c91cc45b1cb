// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "fake/fake_cuda_fixture.hpp"

namespace jitune::internal {
namespace {

class CudaScratch : public FakeCudaFixture {
protected:
    void SetUp() override { fake.make_current(fake.primary_context(0)); }
    void TearDown() override {
        fake.make_current(nullptr);
        FakeCudaFixture::TearDown();
    }
    Scratch get(CUstream stream, std::size_t plain, std::size_t zeroed) {
        return platform->site(stream).scratch({.plain = plain, .zeroed = zeroed});
    }
};

bool aligned(const void* data) {
    return reinterpret_cast<std::uintptr_t>(data) % 256 == 0;
}

TEST_F(CudaScratch, IsAlignedAndZeroWhereAsked) {
    const Scratch scratch = get(stream(), 1000, 8);
    EXPECT_TRUE(aligned(scratch.plain));
    EXPECT_TRUE(aligned(scratch.zeroed));
    EXPECT_NE(scratch.plain, scratch.zeroed);
    EXPECT_TRUE(all_zero(scratch.zeroed, 8));
}

TEST_F(CudaScratch, IsKeptForTheStream) {
    const Scratch first = get(stream(), 1000, 8);
    const int before = fake.total_calls();
    const Scratch again = get(stream(), 500, 4);
    EXPECT_EQ(again.plain, first.plain);
    EXPECT_EQ(again.zeroed, first.zeroed);
    EXPECT_EQ(fake.total_calls() - before, 2) << "capture status and stream number alone";
}

TEST_F(CudaScratch, IsAnothersForEachStreamContextAndThread) {
    std::set<void*> seen;
    seen.insert(get(stream(), 8, 0).plain);
    seen.insert(get(fake.make_stream(), 8, 0).plain);
    seen.insert(get(nullptr, 8, 0).plain);
    seen.insert(get(CU_STREAM_PER_THREAD, 8, 0).plain);
    std::thread([&] {
        fake.make_current(fake.primary_context(0));
        seen.insert(get(CU_STREAM_PER_THREAD, 8, 0).plain);
        fake.make_current(nullptr);
    }).join();
    fake.make_current(fake.make_context(0));
    seen.insert(get(nullptr, 8, 0).plain);
    EXPECT_EQ(seen.size(), 6U);
}

TEST_F(CudaScratch, GrowsAndKeepsWhatMayBeInUse) {
    const Scratch small = get(stream(), 100, 100);
    const Scratch large = get(stream(), 100000, 100);
    EXPECT_NE(small.plain, large.plain);
    EXPECT_EQ(fake.calls("cuMemFree"), 0);
    EXPECT_TRUE(all_zero(large.zeroed, 100));
    EXPECT_EQ(get(stream(), 100, 100).plain, large.plain);
}

TEST_F(CudaScratch, GrowsByPowersOfTwo) {
    for (std::size_t bytes = 1; bytes <= 1 << 20; bytes += 1000) {
        get(stream(), bytes, 0);
    }
    EXPECT_LE(fake.calls("cuMemAlloc"), 13);
}

TEST_F(CudaScratch, NeedsNothingForNothing) {
    const Scratch scratch = get(stream(), 0, 0);
    EXPECT_EQ(scratch.plain, nullptr);
    EXPECT_EQ(scratch.zeroed, nullptr);
    EXPECT_EQ(fake.calls("cuMemAlloc"), 0);
}

TEST_F(CudaScratch, WorksWithoutACurrentContext) {
    fake.make_current(nullptr);
    EXPECT_NE(get(nullptr, 100, 100).zeroed, nullptr);
    EXPECT_EQ(get(nullptr, 100, 100).zeroed, get(nullptr, 50, 50).zeroed);
    EXPECT_EQ(fake.current(), nullptr);
}

TEST_F(CudaScratch, RemembersNoFailure) {
    fake.device(0).memory_bytes = 1024;
    expect_error(ErrorKind::unavailable, [&] { get(stream(), 4096, 0); });
    fake.device(0).memory_bytes = 1 << 20;
    EXPECT_NE(get(stream(), 4096, 0).plain, nullptr);
}

TEST_F(CudaScratch, ServesManyThreadsOnManyStreams) {
    constexpr int kThreads = 16;
    std::vector<CUstream> streams;
    for (int i = 0; i < 100; ++i) {
        streams.push_back(fake.make_stream());
    }
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
        threads.emplace_back([&] {
            for (std::size_t i = 0; i < streams.size(); ++i) {
                EXPECT_NE(get(streams[i], 256 + i, 256).zeroed, nullptr);
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    std::set<void*> seen;
    for (CUstream each : streams) {
        seen.insert(get(each, 1, 1).zeroed);
    }
    EXPECT_EQ(seen.size(), streams.size());
}

}  // namespace
}  // namespace jitune::internal
