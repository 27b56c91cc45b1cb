// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/winners/trust.hpp"

#include <algorithm>

#include "measure/conditions.hpp"

namespace jitune::internal {

Trust trust_of(const Winner& winner) {
    if (winner.refuted) {
        return Trust::refuted;
    }
    if (winner.image_format == kNoCode) {
        return Trust::no_code;
    }
    if (winner.range.unsure) {
        return Trust::unsure;
    }
    if (winner.pinned) {
        return Trust::pinned;
    }
    if (is_provisional(winner.certainty)) {
        return tries_of(winner.certainty) < kTries ? Trust::provisional : Trust::kept;
    }
    const double speed_up = winner.default_median_ns / winner.median_ns;
    return is_scattered(speed_up, winner.certainty) ? Trust::scattered : Trust::sure;
}

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

void count_try(Certainty& certainty, std::size_t earlier) {
    Conditions conditions = Conditions::parse(certainty.conditions);
    conditions.tries = is_provisional(certainty) ? earlier + 1 : 0;
    certainty.conditions = conditions.text();
}

double pessimistic_speed_up(const Certainty& certainty) {
    // Half the distance between two times that differ by a factor of 5, over the longer one. A
    // smaller distance is scatter, which the interval has.
    constexpr double kContradiction = 0.4;
    const bool agrees = certainty.uncertainty < kContradiction;
    return certainty.speed_up_low * (agrees ? 1 : std::max(0.0, 1 - certainty.uncertainty));
}

bool may_be_slower(const Winner& winner) {
    constexpr double kAsFast = 0.985;  // as near as comparisons of two configurations tell
    const Certainty& its = winner.certainty;
    if (winner.pinned || winner.range.by_default || winner.default_median_ns <= 0) {
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
    return trust_of(winner) > Trust::no_code && !may_be_slower(winner) && !winner.range.by_default;
}

bool yields(const Winner& fresh, const Winner& older) {
    if (older.pinned) {
        return true;
    }
    const Trust its = trust_of(older);
    const Trust trust = trust_of(fresh);
    if (fresh.pinned || !may_serve(its) || !is_same_place(fresh.provenance, older.provenance)) {
        return false;
    }
    // Another configuration has won against the older one, which takes part in each search.
    const bool was_cut_short =
        !fresh.complete && fresh.sizes == older.sizes && fresh.configuration == older.configuration;
    return !may_serve(trust) ||
           (older.complete && its > Trust::kept && (was_cut_short || trust <= Trust::kept));
}

bool is_disturbed(double speed_up, const Certainty& certainty) {
    return Conditions::parse(certainty.conditions).disturbed() || is_provisional(certainty) ||
           is_scattered(speed_up, certainty);
}

std::string objective_of(const Winner& winner) {
    return Conditions::parse(winner.certainty.conditions).objective;
}

std::string chosen_by_text(const Winner& winner) {
    const std::string objective = objective_of(winner);
    return objective.empty() ? "" : ", chosen by " + objective;
}

}  // namespace jitune::internal
