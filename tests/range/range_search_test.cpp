// SPDX-License-Identifier: Apache-2.0
#include "range/range_search.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "range/range_fit.hpp"
#include "range/simulated_device.hpp"
#include "range/size_grid.hpp"

namespace jitune::internal {
namespace {

RangePlan plan_of(const SizeBox& domain, std::uint64_t seed = 0) {
    RangePlan plan;
    plan.domain = domain;
    plan.anchors = anchors_of(domain, domain.from.size() == 1 ? 1 : 4);
    plan.seed = seed;
    return plan;
}

ServedRange serving(const std::vector<ServedRange>& ranges, const Sizes& sizes) {
    const ServedRange* found = nullptr;
    for (const ServedRange& range : ranges) {
        if (covers(range.boxes, sizes)) {
            EXPECT_EQ(found, nullptr) << "two ranges serve one size";
            found = &range;
        }
    }
    EXPECT_NE(found, nullptr) << "no range serves it";
    return *found;
}

struct Seen {
    double worst = 1;
    double log_loss = 0;
    int above_bound = 0;  ///< of sizes in sure ranges, beyond the range's bound and noise
    int above = 0;        ///< of sizes in sure ranges, beyond the plan's bound and noise
    int unsure = 0;
    int sizes = 0;
};

Seen look(const SimulatedDevice& device, const std::vector<ServedRange>& ranges,
          const SizeBox& domain, std::uint64_t seed, double bound = FitLimits().loss) {
    Seen seen;
    std::mt19937_64 random(seed);
    for (int i = 0; i < 1000; ++i) {
        const Sizes sizes = random_sizes(domain, random);
        const ServedRange range = serving(ranges, sizes);
        const double loss = device.cost(range.configuration, sizes) / device.best(sizes);
        ++seen.sizes;
        seen.unsure += range.unsure ? 1 : 0;
        seen.worst = range.unsure ? seen.worst : std::max(seen.worst, loss);
        seen.log_loss += std::log(loss);
        seen.above += !range.unsure && loss > bound + 0.01 ? 1 : 0;
        seen.above_bound += !range.unsure && loss > range.loss_bound + 0.01 ? 1 : 0;
    }
    return seen;
}

double flat(const Sizes& /*sizes*/) {
    return 1000;
}

constexpr std::int64_t kLow = 1 << 10;
constexpr std::int64_t kHigh = 1 << 30;

TEST(RangeSearch, BoundsHoldAtSizesThatTookNoPart) {
    const SizeBox domain{{kLow}, {kHigh}};
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
        SimulatedDevice device(seed);
        device.add_tiled(60);
        device.most_compares = 600;
        const Seen seen = look(device, search_range(device, plan_of(domain, seed)), domain, seed);
        // 59 good sizes of 59 say that 95 % of all sizes are within the bound.
        EXPECT_LE(seen.above_bound, seen.sizes / 20) << "seed " << seed;
        EXPECT_LE(seen.unsure, seen.sizes / 10) << "seed " << seed;
        EXPECT_LE(std::exp(seen.log_loss / seen.sizes), 1.005) << "seed " << seed;
    }
}

TEST(RangeSearch, IsSureOfSmallSizesWhereLargeOnesTakeLongToCompare) {
    const SizeBox domain{{kLow}, {kHigh}};
    Seen all;
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
        SimulatedDevice device(seed);
        device.add_tiled(60);
        device.compare_time = [](const Sizes& sizes) {
            return 1 + 75 * static_cast<double>(sizes[0]) / kHigh;
        };
        device.most_compares = 375;
        RangePlan plan = plan_of(domain, seed);
        plan.first_tests = 2;
        const Seen seen = look(device, search_range(device, plan), domain, seed);
        EXPECT_LE(seen.above_bound, seen.sizes / 20) << "seed " << seed;
        all.unsure += seen.unsure;
        all.sizes += seen.sizes;
        all.log_loss += seen.log_loss;
    }
    EXPECT_LE(all.unsure, all.sizes / 20);
    EXPECT_LE(std::exp(all.log_loss / all.sizes), 1.005);
}

TEST(RangeSearch, DisturbedComparisonsCountAsNotMade) {
    const SizeBox domain{{kLow}, {kHigh}};
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
        SimulatedDevice device(seed);
        device.add_tiled(60);
        device.most_compares = 800;
        device.disturbs = [random = std::mt19937_64(seed)](const Sizes&, int) mutable {
            return random() % 5 < 2;
        };
        const Seen seen = look(device, search_range(device, plan_of(domain, seed)), domain, seed);
        EXPECT_LE(seen.above_bound, seen.sizes / 20) << "seed " << seed;
        EXPECT_LE(seen.worst, 1.1) << "seed " << seed;
        EXPECT_LE(seen.unsure, seen.sizes / 10) << "seed " << seed;
        EXPECT_LE(std::exp(seen.log_loss / seen.sizes), 1.005) << "seed " << seed;
    }
}

TEST(RangeSearch, ComparesAgainWhatWasDisturbedForAWhile) {
    const SizeBox domain{{kLow}, {kHigh}};
    SimulatedDevice device;
    device.add_tiled(60);
    device.disturbs = [](const Sizes&, int number) { return number < 300; };
    const Seen seen = look(device, search_range(device, plan_of(domain)), domain, 1);
    EXPECT_LE(seen.unsure, seen.sizes / 10);
    EXPECT_LE(seen.above_bound, seen.sizes / 20);
}

TEST(RangeSearch, IsSureOnlyWhereComparisonsWereUndisturbed) {
    constexpr std::int64_t kBusyFrom = 1 << 20;
    SimulatedDevice device;
    device.add_tiled(60);
    device.disturbs = [](const Sizes& sizes, int) { return sizes[0] >= kBusyFrom; };
    const auto ranges = search_range(device, plan_of({{kLow}, {kHigh}}));
    EXPECT_FALSE(serving(ranges, {50'000}).unsure);
    EXPECT_TRUE(serving(ranges, {2 * kBusyFrom}).unsure);
    EXPECT_TRUE(serving(ranges, {kHigh}).unsure);
}

/// As when a stop request ends every comparison.
class ComparesNothing : public SimulatedDevice {
public:
    Comparison compare(const Sizes& /*sizes*/, const std::vector<std::string>& /*names*/) override {
        return {};
    }
};

TEST(RangeSearch, ServesWhatASearchFoundIfNothingCanBeCompared) {
    ComparesNothing device;
    device.add("a default", flat);
    const auto ranges = search_range(device, plan_of({{kLow}, {kHigh}}));
    ASSERT_EQ(ranges.size(), 1U);
    EXPECT_TRUE(ranges[0].unsure);
}

TEST(RangeSearch, EndsAndServesAllAsUnsureIfAllIsDisturbed) {
    const SizeBox domain{{kLow}, {kHigh}};
    SimulatedDevice device;
    device.add("a default", [](const Sizes&) { return 1e9; });
    device.add("b", flat);
    device.most_compares = 10;  // fewer than anchors
    device.disturbs = [](const Sizes&, int) { return true; };
    const auto ranges = search_range(device, plan_of(domain));
    const Seen seen = look(device, ranges, domain, 1);
    EXPECT_EQ(seen.unsure, seen.sizes);
    EXPECT_EQ(serving(ranges, {kHigh}).configuration, "b") << "the nearest winner";
    EXPECT_EQ(device.compares, device.most_compares);
}

/// Counts the comparisons of a configuration that takes twenty times as long as the best.
class Watched : public SimulatedDevice {
public:
    Comparison compare(const Sizes& sizes, const std::vector<std::string>& names) override {
        for (const std::string& name : names) {
            slow += cost(name, sizes) > 20 * best(sizes) ? 1 : 0;
        }
        return SimulatedDevice::compare(sizes, names);
    }
    std::ptrdiff_t slow = 0;
};

TEST(RangeSearch, SpendsNoTimeOnTheWinnersOfFarSizes) {
    Watched device;
    const auto n = [](const Sizes& sizes) { return static_cast<double>(sizes[0]); };
    device.add("a grid", [=](const Sizes& sizes) { return 2000 + n(sizes) / 5000; });
    device.add("one block", [=](const Sizes& sizes) { return 1000 + n(sizes) / 50; });
    device.most_compares = 400;
    const RangePlan plan = plan_of({{kLow}, {kHigh}});
    const auto ranges = search_range(device, plan);
    EXPECT_EQ(serving(ranges, {2000}).configuration, "one block");
    EXPECT_EQ(serving(ranges, {kHigh}).configuration, "a grid");
    EXPECT_LE(device.slow, std::ssize(plan.anchors)) << "until probes tell";
}

TEST(RangeSearch, BoundsHoldInTwoDimensions) {
    SimulatedDevice device(3);
    device.add_tiled(40);
    device.add("narrow", [](const Sizes& sizes) {
        return 900 + 0.001 * static_cast<double>(sizes[0] * sizes[1]) * (sizes[1] > 100 ? 3 : 0.5);
    });
    const SizeBox domain{{16, 16}, {4096, 4096}};
    const Seen seen = look(device, search_range(device, plan_of(domain)), domain, 7);
    EXPECT_LE(seen.above_bound, seen.sizes / 20);
    EXPECT_LE(std::exp(seen.log_loss / seen.sizes), 1.01);
}

/// Times of one GPU at some shapes. Between them, a configuration loses what it loses near by.
class RecordedShapes {
public:
    RecordedShapes() {
        std::ifstream file(JITUNE_RECORDED_DIR "/rows_h200.txt");
        for (std::string line; std::getline(file, line);) {
            std::istringstream words(line);
            Shape shape{{0, 0}, {}};
            if (words >> shape.sizes[0] >> shape.sizes[1]) {
                for (double ns = 0; words >> ns;) {
                    shape.ns.push_back(ns);
                }
                shapes_.push_back(shape);
            }
        }
    }

    /// The configurations and, as number 0, the default.
    [[nodiscard]] std::size_t configurations() const { return shapes_.at(0).ns.size(); }

    /// By the nearest four shapes that have the configuration, most by the nearest one. One that
    /// was left out at the nearest shapes is slow there.
    [[nodiscard]] double loss(std::size_t configuration, const Sizes& sizes) const {
        constexpr double kLeftOut = 1.15;
        std::vector<std::pair<double, const Shape*>> near;
        for (const Shape& shape : shapes_) {
            near.emplace_back(octaves_between(shape.sizes, sizes), &shape);
        }
        std::partial_sort(near.begin(), near.begin() + 12, near.end());
        double weights = 0;
        double sum = 0;
        int used = 0;
        for (std::size_t i = 0; i < 12 && used < 4; ++i) {
            const auto& [octaves, shape] = near[i];
            const double ns = shape->ns[configuration];
            double least = std::numeric_limits<double>::infinity();
            for (const double its : shape->ns) {
                least = its > 0 ? std::min(least, its) : least;
            }
            if (ns > 0 || i < 2) {
                const double weight = std::pow(0.0004 + octaves * octaves, -1.5);
                weights += weight;
                sum += weight * std::log(ns > 0 ? ns / least : kLeftOut);
                ++used;
            }
        }
        return used > 0 ? std::exp(sum / weights) : 1.5;
    }

private:
    struct Shape {
        Sizes sizes;
        std::vector<double> ns;
    };
    std::vector<Shape> shapes_;
};

TEST(RangeSearch, BoundsHoldForRowsAsAGpuTookThem) {
    const RecordedShapes recorded;
    SimulatedDevice device(11);
    for (std::size_t i = 0; i < recorded.configurations(); ++i) {
        device.add(i == 0 ? "a default" : fmt::format("c{:02}", i), [&, i](const Sizes& sizes) {
            return (1000 + 0.001 * elements_of(sizes)) * recorded.loss(i, sizes);
        });
    }
    device.most_compares = 36;
    device.compare_time = [](const Sizes&) { return 0.012; };
    device.configuration_time = 0.0036;
    const SizeBox domain{{16, 16}, {65'536, 65'536}};
    RangePlan plan = plan_of(domain);
    plan.anchors = anchors_of(domain, 2);
    plan.limits.most_codes = 16;
    plan.bound = 1.1;
    plan.first_tests = 2;
    plan.more_searches = 4;
    const Seen seen = look(device, search_range(device, plan), domain, 7, plan.bound);
    EXPECT_LE(seen.unsure, seen.sizes / 20);
    EXPECT_LE(seen.above, seen.sizes / 100);
    EXPECT_LE(std::exp(seen.log_loss / seen.sizes), 1.008) << "also of sizes that are unsure";
}

/// A kernel whose blocks take `tile` columns each: it is full where they come out even.
SimulatedDevice::Cost waves(std::int64_t tile) {
    return [=](const Sizes& sizes) {
        const std::int64_t per_wave = 132 * tile;
        const auto waves = static_cast<double>((sizes[1] + per_wave - 1) / per_wave);
        const double uneven = sizes[1] % 16 < 8 ? 1.2 : 1;  // larger sizes may take less time
        return uneven * (900 + static_cast<double>(sizes[0] * per_wave) * waves * 1e-3);
    };
}

TEST(RangeSearch, TheDefaultServesInSeveralDimensionsWhereItFollowsTheSizes) {
    SimulatedDevice device(7);
    for (const std::int64_t tile : {24, 32, 40, 56, 72, 88}) {
        device.add(fmt::format("tile={}", tile), waves(tile));
    }
    device.standard = [&](const Sizes& sizes) { return 1.01 * device.best(sizes); };
    const SizeBox domain{{256, 2048}, {65'536, 65'536}};
    RangePlan plan = plan_of(domain);
    plan.bound = 1.1;
    plan.more_searches = 4;
    const std::vector<ServedRange> ranges = search_range(device, plan);
    const Seen seen = look(device, ranges, domain, 7, plan.bound);
    EXPECT_LE(seen.unsure, seen.sizes / 20);
    EXPECT_LE(seen.above, seen.sizes / 100);
    EXPECT_GT(device.hinted.size(), plan.anchors.size()) << "a search after comparisons";
    EXPECT_TRUE(std::any_of(ranges.begin(), ranges.end(), [](const ServedRange& range) {
        return range.configuration == kDefault && !range.unsure;
    }));
    for (const std::vector<std::string>& hints : device.hinted) {
        EXPECT_EQ(std::count(hints.begin(), hints.end(), kDefault), 0) << "no configuration";
    }
}

TEST(RangeSearch, TheDefaultOfOneSizeIsAConfiguration) {
    SimulatedDevice device(7);
    device.add("c", flat);
    device.standard = [](const Sizes& /*sizes*/) { return 990; };
    for (const SizeBox& domain : {SizeBox{{kLow}, {1 << 20}}, SizeBox{{8, kLow}, {8, 1 << 20}}}) {
        RangePlan plan = plan_of(domain);
        plan.anchors = {domain.from, domain.to};
        for (const ServedRange& range : search_range(device, plan)) {
            EXPECT_NE(range.configuration, kDefault) << "ranges are cut where it changes";
        }
    }
}

TEST(RangeSearch, FollowsABoundaryThatRunsAcrossBothDimensions) {
    SimulatedDevice device(5);
    const auto slope = [](double power) {
        return [=](const Sizes& sizes) {
            const double ratio = static_cast<double>(sizes[0]) / static_cast<double>(sizes[1]);
            return 1000 * std::pow(ratio, power);
        };
    };
    device.add("rising", slope(0.2));
    device.add("sinking", slope(-0.2));
    device.most_compares = 300;
    const SizeBox domain{{16, 16}, {65'536, 65'536}};
    const Seen seen = look(device, search_range(device, plan_of(domain)), domain, 7);
    EXPECT_LE(std::exp(seen.log_loss / seen.sizes), 1.003);
}

/// The times of a kernel that falls off a cliff from `from` on, until `to`.
SimulatedDevice::Cost cliff(std::int64_t from, std::int64_t to, double height) {
    return [=](const Sizes& sizes) {
        return sizes[0] >= from && sizes[0] < to ? 1000 * height : 1000.0 - 0.05 * 1000;
    };
}

TEST(RangeSearch, FindsACliffBetweenGridPointsOrSaysThatItIsUnsure) {
    const SizeBox domain{{kLow}, {1 << 20}};
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
        SimulatedDevice device(seed);
        device.add("a default", flat);
        device.add("b", cliff(70'000, 90'000, 1.5));  // a third of an octave
        const auto ranges = search_range(device, plan_of(domain, seed));
        const ServedRange there = serving(ranges, {80'000});
        EXPECT_TRUE(there.configuration == "a default" || there.unsure) << "seed " << seed;
        EXPECT_EQ(serving(ranges, {50'000}).configuration, "b");
        EXPECT_EQ(serving(ranges, {200'000}).configuration, "b");
    }
}

TEST(RangeSearch, PlacesABoundaryWhereTheCostsCross) {
    SimulatedDevice device;
    device.add("a default", cliff(12'289, kHigh, 1.3));
    device.add("b", [](const Sizes& sizes) { return sizes[0] > 12'288 ? 950.0 : 1400.0; });
    const auto ranges = search_range(device, plan_of({{kLow}, {1 << 16}}));
    EXPECT_EQ(serving(ranges, {12'288 * 98 / 100}).configuration, "a default");
    EXPECT_EQ(serving(ranges, {12'289 * 102 / 100}).configuration, "b");
}

TEST(RangeSearch, IsNeverSlowerThanTheDefault) {
    SimulatedDevice device;
    device.noise = 0.001;
    device.add("a default", flat);
    // Within the limit of 2 % everywhere, and slower than the default at half of the sizes.
    device.add("b", [](const Sizes& sizes) { return sizes[0] < 30'000 ? 800.0 : 1015.0; });
    const auto ranges = search_range(device, plan_of({{kLow}, {1 << 20}}));
    EXPECT_EQ(serving(ranges, {20'000}).configuration, "b");
    EXPECT_EQ(serving(ranges, {100'000}).configuration, "a default");
}

TEST(RangeSearch, KeepsTheFewestConfigurationsThatAreGoodEnough) {
    SimulatedDevice device;
    device.add("a default", [](const Sizes&) { return 2000.0; });
    for (int i = 0; i < 20; ++i) {  // each the best in its octave, and "wide" is within 1 % of it
        device.add(fmt::format("c{:02}", i), [i](const Sizes& sizes) {
            const bool here = sizes[0] >> (10 + i) == 1;
            return here ? 1000.0 : 1500.0;
        });
    }
    device.add("wide", [](const Sizes&) { return 1008.0; });
    const auto ranges = search_range(device, plan_of({{kLow}, {kHigh}}));
    ASSERT_EQ(ranges.size(), 1U);
    EXPECT_EQ(ranges[0].configuration, "wide");
    EXPECT_EQ(ranges[0].boxes, (std::vector<SizeBox>{{{kLow}, {kHigh}}}));
    EXPECT_EQ(ranges[0].held_out, 59);
}

TEST(RangeSearch, LeavesOutConfigurationsThatFail) {
    SimulatedDevice device;
    device.add("a default", flat);
    device.add("b", [](const Sizes&) { return 500.0; });
    device.broken["b"] = true;
    const auto ranges = search_range(device, plan_of({{kLow}, {1 << 16}}));
    ASSERT_EQ(ranges.size(), 1U);
    EXPECT_EQ(ranges[0].configuration, "a default");
}

TEST(RangeSearch, AConfigurationThatIsWrongSomewhereServesNowhere) {
    SimulatedDevice device;
    device.add("a default", flat);
    device.add("b", [](const Sizes&) { return 500.0; });
    device.wrong["b"] = {{60'000}, {70'000}};
    const auto ranges = search_range(device, plan_of({{kLow}, {1 << 20}}));
    ASSERT_EQ(ranges.size(), 1U);
    EXPECT_EQ(ranges[0].configuration, "a default");
}

/// Its searches find "b" only between 11 000 and 16 000, where "a" is slow. "b" is better from 8000
/// to 20 000.
class WithAHiddenWinner : public SimulatedDevice {
public:
    WithAHiddenWinner() {
        add("a", [](const Sizes& sizes) { return is_slow(sizes[0]) ? 1400.0 : 1000.0; });
        add("b", [](const Sizes& sizes) { return is_better(sizes[0]) ? 900.0 : 1300.0; });
    }
    static bool is_slow(std::int64_t n) { return 11'000 < n && n < 16'000; }
    static bool is_better(std::int64_t n) { return 8000 < n && n < 20'000; }
    std::vector<std::string> search(const Sizes& sizes,
                                    const std::vector<std::string>& /*hints*/) override {
        return {++searches > blind && is_slow(sizes[0]) ? "b" : "a"};
    }
    int blind = 0;  ///< the first searches find "a" alone
};

TEST(RangeSearch, SearchesWhereALargerProblemTakesLessTime) {
    for (const int more : {0, 4}) {
        WithAHiddenWinner device;
        RangePlan plan = plan_of({{kLow}, {kHigh}});
        plan.more_searches = more;
        const auto ranges = search_range(device, plan);
        EXPECT_EQ(serving(ranges, {14'000}).configuration, more > 0 ? "b" : "a");
        EXPECT_EQ(serving(ranges, {30'000}).configuration, "a");
        EXPECT_LE(device.searches, std::ssize(plan.anchors) + more);
    }
}

TEST(RangeSearch, ComparesNearByWhatAnotherSearchFinds) {
    WithAHiddenWinner device;
    RangePlan plan = plan_of({{kLow}, {kHigh}});
    plan.anchors = {{kLow}, {9500}, {13'000}, {18'000}, {kHigh}};
    device.blind = static_cast<int>(std::ssize(plan.anchors));
    device.most_compares = 12;  // too few for a grid and for placing boundaries
    plan.more_searches = 4;
    const auto ranges = search_range(device, plan);
    EXPECT_EQ(serving(ranges, {9500}).configuration, "b");
    EXPECT_EQ(serving(ranges, {18'000}).configuration, "b");
    EXPECT_EQ(serving(ranges, {kLow}).configuration, "a");
    EXPECT_EQ(serving(ranges, {kHigh}).configuration, "a");
}

/// "small" loses more and more, and the search at 2^24 alone finds "late", which does so, too, up
/// to there.
class WithAHump : public SimulatedDevice {
public:
    WithAHump() {
        noise = 0;
        add("a default", [](const Sizes&) { return 1500.0; });
        add("b", [](const Sizes& sizes) { return sizes[0] >= 1 << 24 ? 1200.0 : 1000.0; });
        add("late", [](const Sizes& sizes) {
            return sizes[0] >= 1 << 24 ? 1000.0 : std::min(1000 + 100 * octave(sizes), 4000.0);
        });
        add("small", [](const Sizes& sizes) { return 1000 * (1 + octave(sizes)); });
    }
    static double octave(const Sizes& sizes) {
        return std::log2(static_cast<double>(sizes[0]) / kLow);
    }
    std::vector<std::string> search(const Sizes& sizes,
                                    const std::vector<std::string>& /*hints*/) override {
        return sizes[0] == kLow ? std::vector<std::string>{"b", "small", "late"}
                                : std::vector<std::string>{sizes[0] == 1 << 24 ? "late" : "b"};
    }
    Comparison compare(const Sizes& sizes, const std::vector<std::string>& names) override {
        const auto small = std::find(names.begin(), names.end(), "small");
        largest = std::max(largest, small == names.end() ? 0 : sizes[0]);
        return SimulatedDevice::compare(sizes, names);
    }
    std::int64_t largest = 0;  ///< size where "small" was compared
};

TEST(RangeSearch, ComparesNoneThatLosesMoreAndMoreButWhereASearchFoundIt) {
    WithAHump device;
    const auto ranges = search_range(device, plan_of({{kLow}, {kHigh}}));
    EXPECT_EQ(serving(ranges, {1 << 25}).configuration, "late");
    EXPECT_EQ(serving(ranges, {1 << 20}).configuration, "b");
    EXPECT_LE(device.largest, 16 * kLow);
}

/// Its first comparison takes three tenths of the time.
class SlowAtFirst : public SimulatedDevice {
public:
    double spent() override { return (compares > 0 ? 0.3 : 0) + SimulatedDevice::spent(); }
};

TEST(RangeSearch, AnotherProbeThanTheLongestSaysHowLongTestsTake) {
    SlowAtFirst device;
    device.add("a default", flat);
    device.most_compares = 400;
    search_range(device, plan_of({{kLow}, {kHigh}}));
    const auto first_test = std::min(std::ssize(device.asked), std::ptrdiff_t{60});
    const auto of_grid =
        std::count_if(device.asked.begin(), device.asked.begin() + first_test,
                      [](const Sizes& sizes) { return significant_bits(sizes[0] - 1) == 1; });
    EXPECT_GE(of_grid, 2) << "the grid has its part of the time";
}

TEST(RangeSearch, FirstTestsMayTakeLonger) {
    const SizeBox domain{{kLow}, {kHigh}};
    for (const double part : {1.0, 3.0}) {
        SimulatedDevice device;
        device.add_tiled(20);
        device.most_compares = 40;
        RangePlan plan = plan_of(domain);
        plan.first_tests = part;
        const auto ranges = search_range(device, plan);
        EXPECT_EQ(look(device, ranges, domain, 1).unsure == 1000, part == 1) << part;
    }
}

TEST(RangeSearch, ServesAllSizesAlsoWhereItsTimeIsUp) {
    const SizeBox domain{{kLow}, {kHigh}};
    SimulatedDevice device(1);
    device.add_tiled(60);
    device.most_compares = 30;
    const auto ranges = search_range(device, plan_of(domain));
    const Seen seen = look(device, ranges, domain, 1);
    EXPECT_EQ(seen.sizes, 1000);
    EXPECT_GT(seen.unsure, 0) << "it had no time to test";
}

}  // namespace
}  // namespace jitune::internal
