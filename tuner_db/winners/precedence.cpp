// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/winners/precedence.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "support/hash.hpp"
#include "tuner_db/winners/trust.hpp"

namespace jitune::internal {

namespace {

/// Differences within a step of 2 % are noise of another machine. 0: not known.
std::int64_t speed_up_step(const Winner& winner) {
    constexpr double kStep = 1.02;
    constexpr double kMost = 1e9;
    const double low = std::min(pessimistic_speed_up(winner.certainty), kMost);
    return low <= 0 ? 0 : 1'000'000 + std::llround(std::floor(std::log(low) / std::log(kStep)));
}

/// The trust in a winner, as far as it decides which of two serves.
Trust rank_of(const Winner& winner) {
    const Trust trust = trust_of(winner);
    return trust == Trust::kept || trust == Trust::scattered ? Trust::provisional : trust;
}

/// The larger comes first; of equal ones, the one with the larger content.
auto place_rank(const Winner& winner) {
    return std::tuple(rank_of(winner), winner.provenance.created_at);
}

auto serving_rank(const Winner& winner) {
    return std::tuple(rank_of(winner), speed_up_step(winner), winner.provenance.created_at);
}

template <class Rank>
bool comes_first(const Winner& one, const Winner& other, const Rank& rank) {
    const auto left = rank(one);
    const auto right = rank(other);
    return left != right ? left > right : winner_content(one) > winner_content(other);
}

struct ContentHasher {
    Hasher& hasher;

    void operator()(const std::string& value) const { hasher.text(value); }
    void operator()(std::int64_t value) const { hasher.integer(value); }
    void operator()(bool value) const { hasher.integer(value ? 1 : 0); }
    void operator()(double value) const { hasher.real(value); }
    void operator()(const std::vector<std::string>& values) const {
        hasher.integer(std::ssize(values));
        for (const std::string& value : values) {
            hasher.text(value);
        }
    }
};

}  // namespace

std::string winner_id(const Winner& winner) {
    Hasher hasher("winner id");
    const auto add = [&](const Field& field, const auto& value) {
        if (field.name != std::string_view("bucket")) {
            ContentHasher{hasher}(value);
        }
    };
    each_field(winner.key, add);
    hasher.text(winner.sizes).text(winner.configuration);
    if (winner.range.by_default) {
        hasher.text("by default");
    }
    each_field(winner.provenance, add);
    return hex(hasher.digest());
}

std::string winner_content(const Winner& winner) {
    Hasher hasher("winner content");
    each_field(winner, [&](const Field& field, const auto& value) {
        const std::string_view name = field.name;
        if (name != "covers" && name != "image") {
            ContentHasher{hasher}(value);
        }
    });
    return hex(hasher.digest());
}

void strip_code(Winner& winner) {
    if (winner.range.unsure && winner.image_format != kNoCode) {
        winner.range.loss_bound = kMostLossBound;
    }
    winner.image_format = kNoCode;
    winner.image.clear();
    winner.range.unsure = true;
}

bool was_sure(const Winner& winner) {
    return winner.image_format == kNoCode && winner.range.loss_bound < kMostLossBound;
}

bool supersedes(const Winner& one, const Winner& other) {
    return comes_first(one, other, [](const Winner& winner) { return place_rank(winner); });
}

bool serves_before(const Winner& one, const Winner& other) {
    return comes_first(one, other, [](const Winner& winner) { return serving_rank(winner); });
}

std::string precedence_reason(const Winner& first, const Winner& second) {
    if (rank_of(first) != rank_of(second)) {
        // In the order of the second one's trust.
        constexpr std::array kReasons{"the other's results are wrong",
                                      "the other has no code",
                                      "the other is unsure",
                                      "the other is provisional",
                                      "the other is provisional",
                                      "the other's speed-up is uncertain",
                                      "it is pinned",
                                      "it is pinned"};
        const Trust trust = trust_of(second);
        return first.pinned && may_serve(trust) ? "it is pinned"
                                                : kReasons.at(static_cast<std::size_t>(trust));
    }
    if (speed_up_step(first) != speed_up_step(second)) {
        return fmt::format("at least {:.2f} times the default's speed, the other {:.2f}",
                           pessimistic_speed_up(first.certainty),
                           pessimistic_speed_up(second.certainty));
    }
    return first.provenance.created_at != second.provenance.created_at
               ? "about as fast, and younger"
               : "about as fast, and as old";
}

bool disagree(const Winner& one, const Winner& other) {
    const Certainty& a = one.certainty;
    const Certainty& b = other.certainty;
    return one.sizes == other.sizes && one.configuration != other.configuration &&
           a.speed_up_high > 0 && b.speed_up_high > 0 &&
           (a.speed_up_high < b.speed_up_low || b.speed_up_high < a.speed_up_low);
}

}  // namespace jitune::internal
