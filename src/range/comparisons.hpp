// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "range/comparison_times.hpp"
#include "range/cost_table.hpp"
#include "range/range_plan.hpp"

namespace jitune::internal {

/// Holds what a search over sizes knows of its device. Learns more by searches and by comparisons,
/// until the plan's time is up. A disturbed comparison counts as not made: the class tries it again
/// at once, and in repeat_disturbed(). Used by one thread.
class Comparisons {
public:
    /// Both must outlive it.
    Comparisons(RangeBench& bench, const RangePlan& plan) : bench_(bench), plan_(plan) {}

    /// Searches at the anchors, and compares there what it has found. In several dimensions that is
    /// too much to compare elsewhere: those configurations go on that together are the best at the
    /// anchors, and the default, which may serve there.
    void search_anchors();
    /// Searches at probes where a larger problem takes clearly less time: a better configuration
    /// than the known ones exists there. Compares what it finds at the probes near by.
    void search_slow_probes();

    /// Compares the plausible and the `wanted` configurations there, and again those that were
    /// compared there before. The sizes become a probe. False if nothing was timed, if everything
    /// wanted is known, or if the comparison was disturbed.
    bool compare(const Sizes& sizes, const std::vector<std::size_t>& wanted = {}) {
        return compare(sizes, wanted, table_);
    }
    /// The same, but the sizes are held out: they become a probe when learn() says so.
    bool test(const Sizes& sizes, const std::vector<std::size_t>& wanted) {
        return compare(sizes, wanted, tested_);
    }
    /// Makes the tested sizes probes.
    void learn();
    void forget_tests() { tested_ = CostTable(); }

    [[nodiscard]] const CostTable& table() const { return table_; }
    [[nodiscard]] const CostTable& tested() const { return tested_; }
    /// Disturbed times are better than none, but make nothing sure.
    [[nodiscard]] const CostTable& fitted_table() const {
        return table_.probes().empty() && !disturbed_.probes().empty() ? disturbed_ : table_;
    }
    /// The number of the code of each configuration.
    const std::vector<std::size_t>& codes();
    /// The configurations that take part in comparisons that do not ask for others.
    [[nodiscard]] std::vector<std::size_t> going_on() const;
    /// Whether the sizes were compared, disturbed or not.
    [[nodiscard]] bool was_tried(const Sizes& sizes) const {
        return table_.at(snapped(sizes)) != nullptr || disturbed_.at(snapped(sizes)) != nullptr;
    }
    /// The sizes at which every comparison was disturbed.
    [[nodiscard]] std::vector<Sizes> unknown() const;
    void repeat_disturbed(double part);

    /// The part of the time that is used up.
    [[nodiscard]] double spent() const { return bench_.spent(); }
    /// That part after the anchors.
    [[nodiscard]] double anchored() const { return anchored_; }
    /// True if less than `part` of the time and of the probes is used up.
    [[nodiscard]] bool has_time(double part = 1) const {
        return bench_.spent() < part && static_cast<double>(table_.probes().size()) <
                                            part * static_cast<double>(plan_.most_probes);
    }
    /// How long comparisons took, in parts of the time.
    [[nodiscard]] const ComparisonTimes& times() const { return times_; }

private:
    /// Searches with the configurations that were found last as hints. Returns what it has found.
    [[nodiscard]] std::vector<std::size_t> search(const Sizes& sizes);
    [[nodiscard]] bool goes_on(std::size_t configuration) const {
        return !chosen_ || chosen_->contains(configuration);
    }
    /// The sizes of the probes within an octave, the nearest first.
    [[nodiscard]] std::vector<Sizes> probes_near(const Sizes& sizes) const;
    /// The probe whose time is most above that of a larger one, or nullptr if no larger one is
    /// faster.
    [[nodiscard]] const CostTable::Probe* slowest_probe() const;
    [[nodiscard]] Sizes snapped(Sizes sizes) const;
    bool compare(const Sizes& wished, const std::vector<std::size_t>& wanted, CostTable& into);
    /// In several dimensions, the default as a server of sizes: it follows the sizes by rules,
    /// which no configuration does. Nothing before the first comparison.
    [[nodiscard]] std::optional<std::size_t> standard() const { return table_.find(kDefault); }
    void refute(const std::vector<std::string>& configurations);

    RangeBench& bench_;
    const RangePlan& plan_;
    CostTable table_;
    CostTable tested_;     ///< the held-out sizes, which take no part in choosing
    CostTable disturbed_;  ///< the last one of each size's disturbed comparisons
    std::optional<std::set<std::size_t>> chosen_;  ///< nothing: all configurations go on
    std::vector<std::size_t> codes_;
    std::map<std::string, std::size_t> code_numbers_;
    ComparisonTimes times_;
    double anchored_ = 0;
    std::vector<Sizes> more_searched_;  ///< by search_slow_probes()
};

}  // namespace jitune::internal
