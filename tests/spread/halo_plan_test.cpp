// SPDX-License-Identifier: Apache-2.0
#include "spread/halo_plan.hpp"

#include <optional>
#include <string>

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

using Units = std::vector<std::int64_t>;

/// The unit at `index`, which may lie outside: -1 where nothing is there.
std::int64_t unit_at(const Units& units, std::int64_t index, Ends ends) {
    const auto n = static_cast<std::int64_t>(units.size());
    if (ends == Ends::wrap) {
        index = (index % n + n) % n;
    }
    return index < 0 || index >= n ? -1 : units[static_cast<std::size_t>(index)];
}

/// A kernel whose outputs say which inputs they were made from, in order.
std::vector<std::string> windows(const Units& units, std::int64_t radius, Ends ends) {
    std::vector<std::string> outputs;
    const auto n = static_cast<std::int64_t>(units.size());
    const std::int64_t cut = ends == Ends::valid ? radius : 0;
    for (std::int64_t centre = cut; centre < n - cut; ++centre) {
        std::string window;
        for (std::int64_t i = centre - radius; i <= centre + radius; ++i) {
            window += std::to_string(unit_at(units, i, ends)) + " ";
        }
        outputs.push_back(window);
    }
    return outputs;
}

class Halos {
public:
    Halos(Units counts, std::int64_t radius, Ends ends)
        : counts_(std::move(counts)), radius_(radius), ends_(ends) {
        std::int64_t next = 0;
        for (const std::int64_t count : counts_) {
            Units& shard = shards_.emplace_back();
            for (std::int64_t i = 0; i < count; ++i, ++next) {
                shard.push_back(next);
                all_.push_back(next);
            }
        }
    }

    void expect_as_one_array() const {
        std::vector<std::string> got;
        const auto plans = halo_plan(counts_, radius_, ends_);
        for (std::size_t i = 0; i < plans.size(); ++i) {
            for (const auto& output : run(plans[i], shards_[i])) {
                got.push_back(output.value_or("none"));
            }
        }
        EXPECT_EQ(got, windows(all_, radius_, ends_));
    }

private:
    /// The kernel that a shard's plan asks for.
    [[nodiscard]] std::vector<std::string> kernel(const HaloShard& plan, const Units& units) const {
        return windows(units, radius_, plan.padded ? Ends::own : ends_);
    }

    [[nodiscard]] std::vector<std::optional<std::string>> run(const HaloShard& plan,
                                                              const Units& own) const {
        std::vector<std::optional<std::string>> outputs(static_cast<std::size_t>(plan.outputs));
        if (plan.body > 0) {
            const auto first = own.begin() + plan.body_from;
            const auto body = kernel(plan, {first, first + plan.body});
            EXPECT_LE(body.size(), outputs.size());
            std::copy(body.begin(), body.end(), outputs.begin());
        }
        Units band(static_cast<std::size_t>(plan.band), -2);
        for (const UnitCopy& copy : plan.gather) {
            for (std::int64_t i = 0; i < copy.count; ++i) {
                band.at(static_cast<std::size_t>(copy.to + i)) =
                    shards_.at(copy.shard).at(static_cast<std::size_t>(copy.from + i));
            }
        }
        const auto fixed = band.empty() ? std::vector<std::string>() : kernel(plan, band);
        for (const UnitCopy& copy : plan.edges) {
            for (std::int64_t i = 0; i < copy.count; ++i) {
                outputs.at(static_cast<std::size_t>(copy.to + i)) =
                    fixed.at(static_cast<std::size_t>(copy.from + i));
            }
        }
        return outputs;
    }

    Units counts_, all_;
    std::int64_t radius_;
    Ends ends_;
    std::vector<Units> shards_;
};

const Units kHaloCounts[] = {
    {40},          {20, 21},     {37, 11, 13}, {9, 0, 30},    {1, 1, 1, 1, 50},
    {50, 1, 2, 1}, {2, 3, 2, 3}, {5, 5, 5, 5}, {1, 1},        {3, 2},
    {0, 7, 0},     {7, 7, 7},    {1},          {100, 100, 1}, {4, 4}};

TEST(HaloPlan, GivesWhatOneArrayWouldGive) {
    for (const Ends ends : {Ends::own, Ends::valid, Ends::wrap}) {
        for (const std::int64_t radius : {1, 2, 3, 7}) {
            for (const Units& counts : kHaloCounts) {
                SCOPED_TRACE(testing::PrintToString(counts) + " radius " + std::to_string(radius) +
                             " ends " + std::to_string(static_cast<int>(ends)));
                Halos(counts, radius, ends).expect_as_one_array();
            }
        }
    }
}

TEST(HaloPlan, ASingleShardNeedsNoBand) {
    for (const Ends ends : {Ends::own, Ends::valid, Ends::wrap}) {
        const auto plans = halo_plan(Units{0, 10, 0}, 2, ends);
        EXPECT_EQ(plans[1].body, 10);
        EXPECT_EQ(plans[1].band, 0);
        EXPECT_EQ(plans[0].outputs + plans[2].outputs, 0);
    }
}

TEST(HaloPlan, ALongShardGathersThreeRadiiAtEachInnerEdge) {
    const auto plans = halo_plan(Units{100, 100, 100}, 2, Ends::own);
    EXPECT_EQ(plans[0].band, 6);
    EXPECT_EQ(plans[1].band, 12);
    EXPECT_EQ(plans[1].gather,
              (std::vector<UnitCopy>{{0, 98, 0, 2}, {1, 0, 2, 4}, {1, 96, 6, 4}, {2, 0, 10, 2}}));
    EXPECT_EQ(plans[1].edges, (std::vector<UnitCopy>{{0, 2, 0, 2}, {0, 8, 98, 2}}));
    EXPECT_EQ(plans[1].body, 100);
}

TEST(HaloPlan, NoUnitsNeedNoWork) {
    for (const Ends ends : {Ends::own, Ends::valid, Ends::wrap}) {
        for (const HaloShard& plan : halo_plan(Units{0, 0}, 3, ends)) {
            EXPECT_EQ(plan.outputs + plan.body + plan.band, 0);
        }
    }
    EXPECT_TRUE(halo_plan(Units{}, 3, Ends::own).empty());
}

}  // namespace
}  // namespace jitune::internal
