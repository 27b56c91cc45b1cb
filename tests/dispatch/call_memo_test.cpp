// SPDX-License-Identifier: Apache-2.0
#include "dispatch/answer/call_memo.hpp"

#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "fake/fake_device.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {
namespace {

struct Recorded final : ReadyLaunch {
    Recorded() : ReadyLaunch([](const ReadyLaunch&, void* const*, Stream) {}) {}
    Launch launch;
};

struct RecordingProgram final : Program {
    void prepare(const Launch& launch, std::unique_ptr<ReadyLaunch>& ready) const override {
        if (ready == nullptr) {
            ready = std::make_unique<Recorded>();
        }
        dynamic_cast<Recorded&>(*ready).launch = launch;
    }
};

struct Site final : StreamSite {
    using StreamSite::StreamSite;
    Scratch scratch(const ScratchNeed& need) override {
        needed = need;
        return memory;
    }
    void refuse_capture(const char*) const override {}

    Scratch memory;
    ScratchNeed needed;
};

class CallMemoTest : public ::testing::Test {
protected:
    /// One step with a grid of `grid` blocks.
    static std::unique_ptr<const Resolved> answer(const std::string& grid,
                                                  const LaunchRule::Argument* argument = nullptr) {
        const auto quantity = [](const std::string& text) {
            return LaunchRule::Quantity{
                Expression::parse(text).for_slots(std::array<std::string, 1>{"n"}), "grid.x"};
        };
        const auto one = quantity("1");
        LaunchRule::Step step{one, quantity("0"), {quantity(grid), one, one}, {one, one, one}, {}};
        auto resolved = std::make_unique<Resolved>();
        resolved->program = std::make_shared<RecordingProgram>();
        if (argument != nullptr) {
            step.arguments = {0};
            resolved->rule = LaunchRule({step}, {*argument});
        } else {
            resolved->rule = LaunchRule({step}, {});
        }
        return resolved;
    }

    CallKey key(std::int64_t n) const { return {site_.serial(), {}, {n, 0, 0}}; }

    static const Launch& launch_of(const ReadyLaunch& ready) {
        return dynamic_cast<const Recorded&>(ready).launch;
    }

    /// As a call does.
    std::uint32_t grid_of(const Resolved& resolved, std::int64_t n) {
        const ReadyLaunch* const known = memo_.find(key(n));
        return launch_of(known != nullptr ? *known
                                          : memo_.prepare(key(n), std::array{n}, resolved, site_))
            .steps[0]
            .grid.x;
    }

    FakeDevice device_;
    Site site_{device_};
    CallMemo memo_;
};

TEST_F(CallMemoTest, FindsTheLaunchForEachSizeInAnyOrder) {
    const auto twice = answer("2 * n");
    for (int round = 0; round < 2; ++round) {
        for (std::int64_t n = 1; n < 100; ++n) {
            ASSERT_EQ(grid_of(*twice, n), 2 * n);
            ASSERT_NE(memo_.find(key(n)), nullptr);
        }
    }
}

struct CallKeyPart {
    const char* name;
    void (*set)(CallKey& key, std::uint64_t value);
};
const void* kernel_at(std::uint64_t value) {
    return reinterpret_cast<const void*>(value);
}
constexpr CallKeyPart kCallKeyParts[] = {
    {"site", [](CallKey& key, std::uint64_t value) { key.site = value; }},
    {"kernel", [](CallKey& key, std::uint64_t value) { key.problem.kernel = kernel_at(value); }},
    {"types", [](CallKey& key, std::uint64_t value) { key.problem.types = value; }},
    {"variant", [](CallKey& key, std::uint64_t value) { key.problem.variant = value; }},
    {"first size", [](CallKey& key, std::uint64_t value) { key.sizes[0] = std::int64_t(value); }},
    {"second size", [](CallKey& key, std::uint64_t value) { key.sizes[1] = std::int64_t(value); }},
    {"third size", [](CallKey& key, std::uint64_t value) { key.sizes[2] = std::int64_t(value); }},
};

/// Two keys are compared only where they share a slot, so each part takes values until some do.
TEST_F(CallMemoTest, TellsKeysOfOneSlotApartByEveryPart) {
    constexpr int kValues = 500;
    const auto resolved = answer("5");
    const std::array<std::int64_t, 1> sizes{5};
    std::mt19937_64 random(1);
    for (const CallKeyPart& part : kCallKeyParts) {
        SCOPED_TRACE(part.name);
        int of_one_slot = 0;
        for (int i = 0; i < kValues; ++i) {
            CallKey other = key(5);
            part.set(other, random());
            memo_.prepare(key(5), sizes, *resolved, site_);
            ASSERT_NE(memo_.find(key(5)), nullptr);
            ASSERT_EQ(memo_.find(other), nullptr) << "value " << i;
            memo_.prepare(other, sizes, *resolved, site_);
            of_one_slot += memo_.find(key(5)) == nullptr ? 1 : 0;
        }
        EXPECT_GT(of_one_slot, 0) << "no other key shared the slot, so none was compared";
    }
}

TEST_F(CallMemoTest, BindsTheWorkMemoryOfTheSite) {
    const LaunchRule::Argument plain{
        LaunchRule::Argument::Kind::scratch, 4, {Expression::constant(std::int64_t{1}), "count"}};
    const auto resolved = answer("n", &plain);
    char memory = 0;
    site_.memory = {&memory, nullptr};
    const ReadyLaunch& ready =
        memo_.prepare(key(1), std::array<std::int64_t, 1>{1}, *resolved, site_);
    EXPECT_EQ(site_.needed.plain, 256U);
    EXPECT_EQ(launch_of(ready).cells[0], reinterpret_cast<std::uintptr_t>(&memory));
}

TEST_F(CallMemoTest, RemembersNothingOfAPlanThatFailed) {
    const auto resolved = answer("8 - n");
    EXPECT_EQ(grid_of(*resolved, 3), 5U);
    for (int i = 0; i < 2; ++i) {
        EXPECT_THROW(grid_of(*resolved, 9), Error);
        EXPECT_EQ(memo_.find(key(9)), nullptr);
        EXPECT_EQ(grid_of(*resolved, 3), 5U);
    }
}

TEST_F(CallMemoTest, ForgetsAllLaunchesWhereAnAnswerIsReplaced) {
    const auto resolved = answer("n");
    const CallKey before = key(3);
    grid_of(*resolved, 3);
    ASSERT_NE(memo_.find(key(3)), nullptr);
    DispatchTable table;
    EXPECT_FALSE(table.replace({}, std::make_unique<Resolved>()));
    EXPECT_EQ(before, key(3)) << "nothing was replaced";
    EXPECT_TRUE(table.replace({}, std::make_unique<Resolved>()));
    EXPECT_NE(before, key(3));
    EXPECT_EQ(memo_.find(key(3)), nullptr);
    EXPECT_NE(Site(device_).serial(), site_.serial());
    grid_of(*resolved, 3);
    EXPECT_NE(memo_.find(key(3)), nullptr);
}

TEST(CallMemoAtExit, AnswersAfterTheThreadsObjectsAreGone) {
    struct Late {
        ~Late() {
            if (CallMemo* const memo = &CallMemo::here()) {  // a sanitizer sees a dead one
                found = memo->find({1, {}, {1, 0, 0}});
            }
        }
        const ReadyLaunch*& found;
    };
    Recorded other;
    const ReadyLaunch* found = &other;
    std::thread([&] {
        thread_local const Late late{found};  // destroyed after what is made next
        static_cast<void>(late);
        CallMemo::here();
    }).join();
    EXPECT_EQ(found, nullptr);
}

TEST_F(CallMemoTest, BelongsToItsThread) {
    const CallMemo* const mine = &CallMemo::here();
    EXPECT_EQ(&CallMemo::here(), mine);
    std::thread([&] { EXPECT_NE(&CallMemo::here(), mine); }).join();
}

}  // namespace
}  // namespace jitune::internal
