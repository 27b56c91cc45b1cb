// What the lanes of a vector have combined so far: plainly, or with what each addition of floats
// rounded away.
#pragma once

#include "jitune_host_lanes.h"

namespace jitune {

/// How sums of floats are kept exact: `pairwise` adds 64 elements in a lane and then always two
/// sums of about as many elements; `compensated` (Neumaier, "Rundungsfehleranalyse einiger
/// Verfahren zur Summation endlicher Summen", 1974) also carries each addition's error along.
enum class Summation { pairwise, compensated };

/// Lanes of totals.
template <class Rule, int kLanes>
struct PlainTotal {
    using Total = typename Rule::Total;
    Vector<Total, kLanes> value;

    JITUNE_FUNCTION void add(const PlainTotal& other) {
        value = Rule::template combine<Total>(value, other.value);
    }
    JITUNE_FUNCTION Total lane(int index) const { return value[index]; }
    JITUNE_FUNCTION Total result() const {
        if constexpr (kLanes == 1) {
            return lane(0);
        } else {
            const auto [low, high] = halves<Total, kLanes>(value);
            PlainTotal<Rule, kLanes / 2> half{low};
            half.add({high});
            return half.result();
        }
    }
};

/// Lanes of elements, of which each takes Rule::kSteps.
template <class Rule, int kLanes>
struct PlainPart {
    using Lane = typename Rule::Lane;
    using Total = typename Rule::Total;
    static constexpr int kTotals = Rule::kAdds ? kLanes * sizeof(Lane) / sizeof(Total) : kLanes;
    Vector<Lane, kLanes> value;

    JITUNE_FUNCTION void add(Vector<Lane, kLanes> more) {
        value = Rule::template combine<Lane>(value, more);
    }
    JITUNE_FUNCTION PlainTotal<Rule, kTotals> total() const {
        if constexpr (Rule::kAddsExactly && kIsFloat<Total>) {
            return {convert_lanes<Total, Lane, kLanes>(value)};
        } else if constexpr (Rule::kAddsExactly) {
            return {add_neighbours<Total, Lane, kLanes>(value)};
        } else {
            return {value};
        }
    }
};

/// Both at once: lanes of float sums and of what they have lost.
template <class Rule, int kLanes>
struct CompensatedPart {
    using Lane = typename Rule::Lane;
    using Lanes = Vector<Lane, kLanes>;
    Lanes value;
    Lanes lost = {};

    JITUNE_FUNCTION void add(Lanes more) {
        const Lanes sum = value + more;
        const Lanes gained = sum - value;
        lost += (value - (sum - gained)) + (more - gained);
        value = sum;
    }
    JITUNE_FUNCTION void add(const CompensatedPart& other) {
        add(other.value);
        lost += other.lost;
    }
    JITUNE_FUNCTION const CompensatedPart& total() const { return *this; }
    /// An infinite sum has lost a NaN.
    JITUNE_FUNCTION Lane lane(int index) const {
        const bool finite = lost[index] - lost[index] == 0;
        return finite ? value[index] + lost[index] : value[index];
    }
    JITUNE_FUNCTION Lane result() const {
        if constexpr (kLanes == 1) {
            return lane(0);
        } else {
            const auto [low, high] = halves<Lane, kLanes>(value);
            const auto [lost_low, lost_high] = halves<Lane, kLanes>(lost);
            CompensatedPart<Rule, kLanes / 2> half{low, lost_low};
            half.add(CompensatedPart<Rule, kLanes / 2>{high, lost_high});
            return half.result();
        }
    }
};

template <class Rule, int kLanes, bool kCompensated>
struct PartOf {
    using Type = PlainPart<Rule, kLanes>;
};
template <class Rule, int kLanes>
struct PartOf<Rule, kLanes, true> {
    using Type = CompensatedPart<Rule, kLanes>;
};
template <class Rule, int kLanes, Summation kSummation>
using Part =
    typename PartOf<Rule, kLanes, Rule::kRounds && kSummation == Summation::compensated>::Type;

}  // namespace jitune
