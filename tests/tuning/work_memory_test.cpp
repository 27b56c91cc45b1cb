// SPDX-License-Identifier: Apache-2.0
#include "tuning/measure/work_memory.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "fake/fake_device.hpp"
#include "fixtures/expect_error.hpp"

namespace jitune::internal {
namespace {

class WorkMemoryTest : public testing::Test {
protected:
    std::byte* at(std::size_t place, std::size_t bytes) {
        return static_cast<std::byte*>(memory_.at(place, bytes));
    }
    FakeDevice device_;
    std::unique_ptr<Bench> bench_ = device_.make_bench();
    WorkMemory memory_{*bench_, std::byte{0}};
};

TEST_F(WorkMemoryTest, PlacesAreAlignedAndApart) {
    constexpr std::size_t kBytes = 1000;
    std::vector<std::byte*> places;
    for (std::size_t place = 0; place < WorkMemory::kPlaces; ++place) {
        places.push_back(at(place, kBytes));
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(places.back()) % 256, 0U);
        std::fill_n(places.back(), kBytes, std::byte(place + 1));
    }
    for (std::size_t place = 0; place < WorkMemory::kPlaces; ++place) {
        EXPECT_EQ(places[place], at(place, kBytes)) << "a place stays where it is";
        EXPECT_EQ(places[place][0], std::byte(place + 1));
        EXPECT_EQ(places[place][kBytes - 1], std::byte(place + 1));
    }
}

TEST_F(WorkMemoryTest, LargeMemoryIsNotHeldSeveralTimes) {
    constexpr std::size_t kMebibyte = std::size_t{1} << 20;
    EXPECT_EQ(at(0, kMebibyte), at(WorkMemory::kPlaces - 1, kMebibyte));
}

TEST_F(WorkMemoryTest, PlacesAreNoPowerOfTwoApart) {
    for (std::size_t bytes = 16; bytes <= std::size_t{64} << 10; bytes += 240) {
        const auto apart = static_cast<std::size_t>(at(0, bytes) - at(1, bytes));
        EXPECT_FALSE(std::has_single_bit(apart)) << bytes;
        EXPECT_GE(apart, bytes);
    }
}

TEST_F(WorkMemoryTest, TheFirstPlaceEndsWhereTheMemoryDoes) {
    constexpr std::size_t kMore = std::size_t{16} << 10;
    constexpr std::size_t kBytes = 1024;
    std::byte* const end = at(0, kMore) + kMore;
    EXPECT_EQ(at(0, kBytes) + kBytes, end) << "the memory is large enough for both";
}

TEST_F(WorkMemoryTest, MoreMemoryLeavesWhatWasGivenBefore) {
    std::byte* const before = at(0, 16);
    before[0] = std::byte{7};
    at(0, std::size_t{1} << 20)[0] = std::byte{1};
    EXPECT_EQ(before[0], std::byte{7});
}

TEST_F(WorkMemoryTest, SeesAndClearsWhatIsLeftInAnyPlace) {
    EXPECT_TRUE(memory_.is_zero()) << "no memory is allocated yet";
    for (std::size_t place = 0; place < WorkMemory::kPlaces; ++place) {
        at(place, 100)[99] = std::byte{1};
        EXPECT_FALSE(memory_.is_zero());
        memory_.refill();
        EXPECT_TRUE(memory_.is_zero());
    }
}

TEST_F(WorkMemoryTest, RefusesMoreThanAnyDeviceHas) {
    at(0, 16);
    for (const std::size_t bytes : {~std::size_t{0}, ~std::size_t{0} - 255}) {
        expect_error(ErrorKind::unavailable, "no device has so many", [&] { at(0, bytes); });
    }
}

TEST_F(WorkMemoryTest, NoBytesAreNowhere) {
    EXPECT_EQ(at(0, 0), nullptr);
}

}  // namespace
}  // namespace jitune::internal
