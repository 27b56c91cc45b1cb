// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/winners/certainty.hpp"

#include <algorithm>

#include "measure/conditions.hpp"

namespace jitune::internal {

bool is_scattered(double speed_up, const Certainty& certainty) {
    constexpr double kBeside = 1.02;  // medians lie beside the interval of a quiet machine, too
    const auto& [conditions, uncertainty, low, high] = certainty;
    return (high - low) / 2 > kScattered * speed_up ||
           (high > 0 && (speed_up * kBeside < low || speed_up > high * kBeside));
}

std::string_view why_provisional(const Certainty& certainty) {
    const Conditions conditions = Conditions::parse(certainty.conditions);
    const auto& [text, uncertainty, low, high] = certainty;
    if (conditions.contended) {
        return "other processes disturbed its tuning";
    }
    if (uncertainty > kScattered) {
        return "its times differ too much";
    }
    if (high - low > kScattered * (high + low)) {
        return "its speed-up over the default is hardly known";
    }
    if (conditions.rivals) {
        return "its search ended before it had compared the default with others";
    }
    return {};
}

std::size_t tries_of(const Certainty& certainty) {
    return Conditions::parse(certainty.conditions).tries;
}

bool deserves_another_try(const Certainty& certainty) {
    return is_provisional(certainty) && tries_of(certainty) < kTries;
}

bool ends_search(const Winner& winner) {
    return !winner.range.unsure && !deserves_another_try(winner.certainty);
}

void count_try(Certainty& certainty, std::size_t earlier) {
    Conditions conditions = Conditions::parse(certainty.conditions);
    conditions.tries = is_provisional(certainty) ? earlier + 1 : 0;
    certainty.conditions = conditions.text();
}

double pessimistic_speed_up(const Certainty& certainty) {
    // Half the distance between two times that differ by a factor of 5, over the longer one. Less
    // is scatter, which is in the interval.
    constexpr double kContradiction = 0.4;
    const bool agrees = certainty.uncertainty < kContradiction;
    return certainty.speed_up_low * (agrees ? 1 : std::max(0.0, 1 - certainty.uncertainty));
}

bool may_be_slower(const Winner& winner) {
    constexpr double kAsFast = 0.985;  // as near as comparisons of two configurations tell
    const Certainty& its = winner.certainty;
    if (winner.pinned || winner.default_median_ns <= 0) {
        return false;
    }
    if (is_provisional(its)) {
        return pessimistic_speed_up(its) <= 1;
    }
    const bool is_tested_range = !winner.range.covers.empty() && !winner.range.unsure;
    const double least =
        is_tested_range ? (its.speed_up_low + its.speed_up_high) / 2 : its.speed_up_low;
    return its.speed_up_high > 0 && least < kAsFast;
}

bool may_answer_elsewhere(const Winner& winner) {
    return winner.image_format != kNoCode && !may_be_slower(winner);
}

bool yields(const Winner& fresh, const Winner& older) {
    if (older.pinned) {
        return true;
    }
    if (fresh.pinned || older.range.unsure || !is_same_place(fresh.provenance, older.provenance)) {
        return false;
    }
    // Another configuration has won against the older one, which takes part in each search.
    const bool was_cut_short =
        !fresh.complete && fresh.sizes == older.sizes && fresh.configuration == older.configuration;
    return fresh.range.unsure || (older.complete && !is_provisional(older.certainty) &&
                                  (was_cut_short || is_provisional(fresh.certainty)));
}

bool is_disturbed(double speed_up, const Certainty& certainty) {
    return Conditions::parse(certainty.conditions).disturbed() || is_provisional(certainty) ||
           is_scattered(speed_up, certainty);
}

}  // namespace jitune::internal
