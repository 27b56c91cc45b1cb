// SPDX-License-Identifier: Apache-2.0
#include "dispatch/behind/single_flight.hpp"

#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

DispatchKey key(std::int64_t bucket) {
    return {nullptr, {}, bucket};
}

TEST(SingleFlight, LetsOneThreadPerKeyWork) {
    SingleFlight flights;
    std::array<std::atomic<int>, 4> working{};
    std::array<int, 4> done{};  // guarded by the turns alone
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < 32; ++t) {
        threads.emplace_back([&, t] {
            const std::size_t k = t % 4;
            for (int i = 0; i < 200; ++i) {
                const SingleFlight::Claim claim(flights, key(static_cast<std::int64_t>(k)));
                EXPECT_EQ(++working[k], 1);
                ++done[k];
                EXPECT_EQ(--working[k], 0);
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(done, (std::array<int, 4>{1600, 1600, 1600, 1600}));
}

TEST(SingleFlight, LetsOtherKeysPass) {
    SingleFlight flights;
    const SingleFlight::Claim held(flights, key(1));
    std::thread([&] { const SingleFlight::Claim other(flights, key(2)); }).join();
}

TEST(SingleFlight, ReleasesTheKeyWhenTheWorkThrows) {
    SingleFlight flights;
    const auto fail = [&] {
        const SingleFlight::Claim claim(flights, key(1));
        throw 1;
    };
    EXPECT_THROW(fail(), int);
    std::thread([&] { const SingleFlight::Claim again(flights, key(1)); }).join();
}

}  // namespace
}  // namespace jitune::internal
