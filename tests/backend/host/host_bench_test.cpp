// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <vector>

#include "fixtures/host_fixture.hpp"

/// Lets an allocation that is too large fail as it does without AddressSanitizer, which reads this.
extern "C" const char* __asan_default_options() {
    return "allocator_may_return_null=1";
}

namespace jitune::internal {
namespace {

using std::chrono::milliseconds;

class HostBenchTest : public HostDeviceTest {
protected:
    std::unique_ptr<Bench> bench_ = device().make_bench();
};

TEST_F(HostBenchTest, MovesBytes) {
    const auto a = bench_->allocate(1000), b = bench_->allocate(1000);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a->data()) % 256, 0U);
    EXPECT_EQ(a->bytes(), 1000U);
    std::vector<std::byte> out(1000), in(1000);
    for (std::size_t i = 0; i < in.size(); ++i) {
        in[i] = static_cast<std::byte>(i % 251);
    }
    bench_->upload(a->data(), in);
    bench_->fill(b->data(), std::byte{7}, 1000);
    bench_->copy(static_cast<std::byte*>(b->data()) + 1, a->data(), 999);
    bench_->download(out, b->data());
    EXPECT_EQ(out[0], std::byte{7});
    EXPECT_TRUE(std::equal(out.begin() + 1, out.end(), in.begin()));
    bench_->upload(nullptr, {});
}

TEST_F(HostBenchTest, ComparesBytes) {
    const std::vector<char> one{1, 2, 3, 4};
    const std::vector<char> other{1, 2, 3, 5};
    EXPECT_TRUE(bench_->equal(one.data(), other.data(), 3));
    EXPECT_FALSE(bench_->equal(one.data(), other.data(), 4));
    EXPECT_TRUE(bench_->equal(nullptr, nullptr, 0));
}

TEST_F(HostBenchTest, RefusesMemoryThatIsNotThere) {
    expect_error(ErrorKind::unavailable, "are available",
                 [&] { bench_->allocate(std::size_t{1} << 62); });
}

TEST_F(HostBenchTest, ReportsALaunchThatFailsOrIsTooSlow) {
    const auto wait = program(R"(
        void wait(long long* count) { while (*(volatile long long*)count < 100000000) ++*count; })",
                              "wait");
    long long count = 0;
    const auto slow = bench_->run(*wait, launch_with(&count), milliseconds(0));
    ASSERT_TRUE(slow);
    EXPECT_TRUE(slow->timed_out);
    EXPECT_FALSE(bench_->run(*wait, launch_with(&count), milliseconds(60'000)));
    const auto failed = bench_->run(*wait, launch_with(), milliseconds(60'000));
    ASSERT_TRUE(failed);
    EXPECT_FALSE(failed->timed_out);
}

TEST_F(HostBenchTest, EndsATuningWhereMemoryIsShortAtALaunch) {
    class FullLaunch final : public ReadyLaunch {
    public:
        FullLaunch() : ReadyLaunch(fail) {}

    private:
        static void fail(const ReadyLaunch&, void* const*, Stream) {
            throw Error(ErrorKind::unavailable, "the memory is full");
        }
    };
    class FullProgram final : public Program {
    public:
        void prepare(const Launch&, std::unique_ptr<ReadyLaunch>& ready) const override {
            ready = std::make_unique<FullLaunch>();
        }
    };
    const FullProgram full;
    const std::vector<Launch> chain(2);
    const auto timer = bench_->timer(full, chain, 1, false);
    expect_error(ErrorKind::unavailable, "memory is full",
                 [&] { bench_->run(full, chain[0], milliseconds(1)); });
    expect_error(ErrorKind::unavailable, "memory is full", [&] { timer->sample(milliseconds(1)); });
}

TEST_F(HostBenchTest, TimesAShortChainByRepeatingItUnlessTheCacheIsFlushed) {
    const auto counter = program(kCounter, "count");
    int calls = 0;
    const std::vector<Launch> chain(4, launch_with(&calls));

    auto warm = bench_->timer(*counter, chain, 1, false);
    EXPECT_GT(std::get<double>(warm->sample(milliseconds(60'000))), 0);
    EXPECT_GT(calls, 4);

    const int before = calls;
    auto cold = bench_->timer(*counter, chain, 1, true);
    EXPECT_GT(std::get<double>(cold->sample(milliseconds(60'000))), 0);
    EXPECT_EQ(calls, before + 4);
}

TEST_F(HostBenchTest, SaysThatItHasNoHardwareCounters) {
    class NoProgram final : public Program {
        void prepare(const Launch& /*launch*/,
                     std::unique_ptr<ReadyLaunch>& /*ready*/) const override {}
    };
    const CounterOutcome outcome = bench_->counters(NoProgram(), Launch{});
    EXPECT_NE(std::get<std::string>(outcome).find("this device has none"), std::string::npos);
}

}  // namespace
}  // namespace jitune::internal
