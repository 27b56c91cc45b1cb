// SPDX-License-Identifier: Apache-2.0
#include "dispatch/observe/usage_report.hpp"

#include <algorithm>
#include <utility>

#include "jitune/session.hpp"
#include "range/cost_estimate.hpp"
#include "tuner_db/calls/call_record.hpp"
#include "tuner_db/winners/trust.hpp"
#include "tuner_db/winners/winner_table.hpp"

namespace jitune::internal {

namespace {

bool is_of_winner(const CallRecord& usage) {
    return usage.origin == to_string(Origin::stored) || usage.origin == to_string(Origin::tuned);
}

bool is_of_default(const CallRecord& usage) {
    return usage.origin == to_string(Origin::template_default) ||
           usage.origin == to_string(Origin::rule);
}

/// What one call saves.
SavedTime saved_by_call(const Winner& winner, const CallRecord& usage, const WinnerTime& time_at) {
    if (winner.default_median_ns <= 0) {
        return {};
    }
    const double ns = time_at(winner, usage.problem_sizes().value()).value_or(winner.median_ns);
    const auto saved = [&](double speed_up) { return ns * 1e-9 * (speed_up - 1); };
    const double middle = saved(winner.default_median_ns / winner.median_ns);
    const Certainty& certainty = winner.certainty;
    if (certainty.speed_up_high <= 0) {
        return {middle, middle, middle};
    }
    return {middle, std::min(middle, saved(certainty.speed_up_low)),
            std::max(middle, saved(certainty.speed_up_high))};
}

void add(WinnerUsage& sum, const CallRecord& usage, const WinnerTime& time_at) {
    const SavedTime one = saved_by_call(sum.winner, usage, time_at);
    const auto calls = static_cast<double>(usage.calls);
    sum.calls = saturating_sum(sum.calls, usage.calls);
    sum.last_at = std::max(sum.last_at, usage.last_at);
    sum.saved.add({one.seconds * calls, one.low * calls, one.high * calls});
}

}  // namespace

void SavedTime::add(const SavedTime& other) {
    seconds += other.seconds;
    low += other.low;
    high += other.high;
}

std::optional<std::size_t> AnswerIndex::answering(const CallRecord& usage) const {
    const auto sizes = usage.problem_sizes();
    if (!sizes || !(is_of_winner(usage) || is_of_default(usage))) {
        return std::nullopt;
    }
    for (const std::size_t place : index_.serving(usage.key, *sizes)) {
        const Winner& winner = winners_[place];
        const bool is_by_default = winner.range.by_default && may_serve(trust_of(winner)) &&
                                   is_of_default(usage) &&
                                   winner.provenance.created_at <= usage.last_at;
        if (is_by_default || (is_of_winner(usage) && winner.configuration == usage.configuration &&
                              winner.provenance.created_at == usage.winner_at)) {
            return place;
        }
    }
    return std::nullopt;
}

bool AnswerIndex::is_for_withheld(const CallRecord& usage) const {
    const auto sizes = usage.problem_sizes();
    if (!sizes || !is_of_default(usage)) {
        return false;
    }
    const std::vector<std::size_t> places = index_.serving(usage.key, *sizes);
    return std::any_of(places.begin(), places.end(), [&](std::size_t place) {
        const Winner& winner = winners_[place];
        return may_serve(trust_of(winner)) && may_be_slower(winner) &&
               winner.configuration != usage.configuration &&
               winner.provenance.created_at <= usage.last_at;
    });
}

UsageReport usage_report(std::span<const Winner> winners, std::span<const CallRecord> usages,
                         const WinnerTime& time_at) {
    UsageReport report;
    const AnswerIndex index(winners);
    for (const Winner& winner : winners) {
        report.winners.push_back({winner, 0, "", {}});
    }
    for (const CallRecord& usage : usages) {
        std::int64_t& of_origin = report.origins[usage.origin];
        of_origin = saturating_sum(of_origin, usage.calls);
        report.calls = saturating_sum(report.calls, usage.calls);
        report.first_at =
            report.first_at.empty() ? usage.first_at : std::min(report.first_at, usage.first_at);
        report.last_at = std::max(report.last_at, usage.last_at);
        if (const auto place = index.answering(usage)) {
            add(report.winners[*place], usage, time_at);
        } else if (is_of_winner(usage)) {
            report.replaced = saturating_sum(report.replaced, usage.calls);
        } else if (index.is_for_withheld(usage)) {
            report.withheld = saturating_sum(report.withheld, usage.calls);
        }
    }
    for (const WinnerUsage& row : report.winners) {
        report.saved.add(row.saved);
    }
    std::stable_sort(
        report.winners.begin(), report.winners.end(), [](const auto& a, const auto& b) {
            return std::pair(a.saved.seconds, a.calls) > std::pair(b.saved.seconds, b.calls);
        });
    return report;
}

UsageReport usage_report_of(std::span<const Winner> winners, std::span<const CallRecord> usages,
                            ComparedTimes& times) {
    const auto time_at = [&](const Winner& winner, const Sizes& sizes) -> std::optional<double> {
        const auto cost = estimated_time(times.of(winner), winner.configuration, sizes);
        return cost ? std::optional(cost->value) : std::nullopt;
    };
    return usage_report(winners, usages, time_at);
}

}  // namespace jitune::internal
