// SPDX-License-Identifier: Apache-2.0
#include "dispatch/behind/tuning_queue.hpp"

#include <stdexcept>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "fake/fake_clock.hpp"
#include "fake/fake_sum.hpp"

namespace jitune::internal {
namespace {

using Place = TuningQueue::Place;

class TuningQueueTest : public testing::Test {
protected:
    [[nodiscard]] DispatchKey key(std::int64_t n) const {
        return fake_sum_key(device_, kernel_, fake_sum_problem(n));
    }
    Place place(std::int64_t n) {
        return std::make_shared<Watched>(key(n), device_, kernel_.spec, &kernel_,
                                         fake_sum_problem(n), Digest{}, true);
    }
    Place added(std::int64_t n) {
        Place made = place(n);
        EXPECT_TRUE(queue_.add(made));
        return made;
    }
    void answer(Watched& place, SizeBox serves, std::shared_ptr<const OwnTuning> own = nullptr) {
        Resolved answer;
        answer.winner = Digest{std::byte{1}};
        answer.serves = std::move(serves);
        queue_.answer(place, answer, std::move(own));
    }

    FakeDevice device_;
    Kernel kernel_ = fake_sum_kernel();
    FakeClock clock_;
    TuningQueue queue_{TunePolicy::background, clock_};
};

TEST_F(TuningQueueTest, ThePlacesThatCallsWaitForComeFirst) {
    const Place first = added(1000);
    const Place second = added(1'000'000);
    EXPECT_EQ(queue_.all(), (std::vector{first, second}));
    EXPECT_FALSE(queue_.gives_way());
    EXPECT_EQ(queue_.hurry(key(1'000'000), second->problem.sizes), second);
    EXPECT_EQ(queue_.all(), (std::vector{second, first}));
    EXPECT_TRUE(queue_.gives_way()) << "a call waits for another tuning";
    queue_.relax(second);
    EXPECT_EQ(queue_.all(), (std::vector{first, second}));
    EXPECT_EQ(queue_.hurry(key(5000), fake_sum_problem(5000).sizes), nullptr);
}

TEST_F(TuningQueueTest, AnAnswerEndsTheWaitsForAllSizesThatItServes) {
    const Place first = added(1000);
    const Place second = added(1010);
    const Place elsewhere = added(1'000'000);
    EXPECT_EQ(queue_.pending(), 3);
    answer(*first, {{1000}, {1020}});
    EXPECT_EQ(queue_.pending(), 1);
    EXPECT_EQ(queue_.all(), (std::vector{elsewhere, first}));
    EXPECT_FALSE(queue_.holds(*second));
    EXPECT_TRUE(queue_.wait(second, std::nullopt).is_tuned);
}

TEST_F(TuningQueueTest, ASearchAroundOtherSizesComesBeforeATuningThatItMaySpare) {
    const Place first = added(1000);
    auto own = std::make_shared<OwnTuning>();
    own->around = {{900}, {1100}};
    answer(*first, {{1000}, {1000}}, own);
    const Place wanted = place(1010);
    EXPECT_EQ(queue_.hurry_around(*wanted), first);
    EXPECT_TRUE(first->is_urgent);
    EXPECT_EQ(queue_.begin_around(*first).own, own);
    EXPECT_EQ(queue_.hurry_around(*wanted), first);
    EXPECT_FALSE(queue_.gives_way()) << "this search is under way";
    queue_.end_around(*first, true);
    EXPECT_EQ(queue_.hurry_around(*wanted), nullptr);
    EXPECT_TRUE(queue_.gives_way());
}

TEST_F(TuningQueueTest, AFailureIsToldOnceAndTriedAgainLater) {
    const Place failed = added(1000);
    queue_.fail(*failed, true, std::make_exception_ptr(std::runtime_error("no memory")));
    const TuningQueue::Outcome outcome = queue_.wait(failed, std::nullopt);
    EXPECT_TRUE(outcome.error);
    EXPECT_FALSE(outcome.is_tuned);
    EXPECT_EQ(queue_.pending(), 1);
    EXPECT_GT(failed->due, clock_.now());
    queue_.fail(*failed, false, outcome.error);
    EXPECT_EQ(queue_.pending(), 0);
}

TEST_F(TuningQueueTest, StoppingEndsAllWaits) {
    const Place waiting = added(1000);
    std::thread call([&] { EXPECT_FALSE(queue_.wait(waiting, std::nullopt).is_tuned); });
    queue_.stop();
    call.join();
    EXPECT_FALSE(queue_.add(place(5000)));
    EXPECT_TRUE(queue_.stopped());
}

}  // namespace
}  // namespace jitune::internal
