// SPDX-License-Identifier: Apache-2.0
#include "range/boundary_doubts.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "range/size_grid.hpp"

namespace jitune::internal {

namespace {

/// Two probes, and which configuration serves each.
struct Boundary {
    const CostTable::Probe* left;
    std::size_t left_server;
    const CostTable::Probe* right;
    std::size_t right_server;
};

class Doubts {
public:
    Doubts(const CostTable& table, double limit, double apart)
        : table_(table), limit_(limit), apart_(apart) {}

    /// Adds where a comparison would tell more, if the boundary matters.
    void add(const Boundary& boundary);
    [[nodiscard]] std::vector<BoundaryDoubt> largest() const;

private:
    struct Doubt {
        std::set<std::size_t> servers;
        double at_stake = 0;
    };

    /// How much it may cost to have the boundary at the wrong place: 0 if it does not matter.
    [[nodiscard]] double stake(const Boundary& boundary) const;
    [[nodiscard]] bool nothing_between(const Sizes& left, const Sizes& right) const;

    const CostTable& table_;
    const double limit_;
    const double apart_;
    std::map<Sizes, Doubt> doubts_;
};

bool Doubts::nothing_between(const Sizes& left, const Sizes& right) const {
    SizeBox spanned{left, right};
    for (std::size_t i = 0; i < left.size(); ++i) {
        spanned.from[i] = std::min(left[i], right[i]);
        spanned.to[i] = std::max(left[i], right[i]);
    }
    return std::none_of(
        table_.probes().begin(), table_.probes().end(), [&](const CostTable::Probe& probe) {
            return spanned.contains(probe.sizes) && probe.sizes != left && probe.sizes != right;
        });
}

double Doubts::stake(const Boundary& boundary) const {
    constexpr double kUnknown = 2;  // also of losses that are so large that it does not matter
    const auto& [left, left_server, right, right_server] = boundary;
    if (left_server == right_server || (table_.serves(*left, right_server, limit_) &&
                                        table_.serves(*right, left_server, limit_))) {
        return 0;
    }
    const double loss =
        std::max(table_.loss(*left, right_server), table_.loss(*right, left_server));
    return octaves_between(left->sizes, right->sizes) * (std::min(loss, kUnknown) - 1);
}

void Doubts::add(const Boundary& boundary) {
    const auto& [left, left_server, right, right_server] = boundary;
    const double at_stake = stake(boundary);
    if (at_stake == 0 || !nothing_between(left->sizes, right->sizes)) {
        return;
    }
    const auto doubt_at = [&](const Sizes& sizes) {
        Doubt& one = doubts_[sizes];
        one.servers.insert({left_server, right_server});
        one.at_stake = std::max(one.at_stake, at_stake);
    };
    if (!left->has(right_server)) {
        doubt_at(left->sizes);
    } else if (!right->has(left_server)) {
        doubt_at(right->sizes);
    } else if (octaves_between(left->sizes, right->sizes) > apart_) {
        const Sizes middle = between(left->sizes, right->sizes);
        if (table_.at(middle) == nullptr) {
            doubt_at(middle);
        }
    }
}

std::vector<BoundaryDoubt> Doubts::largest() const {
    constexpr std::size_t kAtATime = 16;
    std::vector<BoundaryDoubt> most;
    for (const auto& [sizes, doubt] : doubts_) {
        most.push_back({sizes, {doubt.servers.begin(), doubt.servers.end()}, doubt.at_stake});
    }
    std::stable_sort(most.begin(), most.end(),
                     [](const BoundaryDoubt& one, const BoundaryDoubt& other) {
                         return one.at_stake > other.at_stake;
                     });
    most.resize(std::min(most.size(), kAtATime));
    return most;
}

}  // namespace

std::vector<BoundaryDoubt> largest_doubts(const std::vector<FittedRange>& ranges,
                                          const CostTable& table, double limit, double apart) {
    const auto& probes = table.probes();
    std::vector<std::size_t> server;
    for (const CostTable::Probe& probe : probes) {
        server.push_back(range_of(ranges, probe.sizes).configuration);
    }
    Doubts doubts(table, limit, apart);
    for (std::size_t a = 0; a < probes.size(); ++a) {
        for (std::size_t b = a + 1; b < probes.size(); ++b) {
            doubts.add({&probes[a], server[a], &probes[b], server[b]});
        }
    }
    return doubts.largest();
}

}  // namespace jitune::internal
