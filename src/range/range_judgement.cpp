// SPDX-License-Identifier: Apache-2.0
#include "range/range_judgement.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "range/size_grid.hpp"
#include "sizes/box_sets.hpp"

namespace jitune::internal {
namespace {

using Boxes = std::vector<SizeBox>;

/// The loss of a range's configuration at some sizes.
struct Evidence {
    Sizes sizes;
    double loss = 1;
    bool good = true;
    bool held_out = false;
};

double sizes_in(const Boxes& boxes) {
    double sum = 0;
    for (const SizeBox& box : boxes) {
        double count = 1;
        for (std::size_t i = 0; i < box.from.size(); ++i) {
            count *= static_cast<double>(box.to[i] - box.from[i] + 1);
        }
        sum += count;
    }
    return sum;
}

/// The part of a box around `bad` that holds no sizes with good evidence.
SizeBox doubtful_part(SizeBox box, const Sizes& bad, const std::vector<Evidence>& evidence) {
    for (const Evidence& one : evidence) {
        if (one.good && box.contains(one.sizes) && one.sizes != bad) {
            box = box.without(SizeBox::point(one.sizes), bad);
        }
    }
    return box;
}

class Judgement {
public:
    Judgement(const CostTable& table, const std::vector<HeldOutTest>& tests,
              const std::vector<Sizes>& unknown, double limit, bool passed)
        : table_(table), tests_(tests), unknown_(unknown), limit_(limit), passed_(passed) {}

    void divide(const FittedRange& range);
    [[nodiscard]] std::vector<ServedRange> served() const;

private:
    [[nodiscard]] std::vector<Evidence> evidence_in(const Boxes& boxes,
                                                    std::size_t configuration) const;
    [[nodiscard]] ServedRange judged(const Boxes& boxes, std::size_t configuration,
                                     bool is_doubtful) const;

    const CostTable& table_;
    const std::vector<HeldOutTest>& tests_;
    const std::vector<Sizes>& unknown_;
    const double limit_;
    const bool passed_;  ///< the tests of all ranges together
    /// The boxes by configuration, and by whether they are unsure.
    std::map<std::pair<std::size_t, bool>, Boxes> boxes_;
};

std::vector<Evidence> Judgement::evidence_in(const Boxes& boxes, std::size_t configuration) const {
    std::vector<Evidence> evidence;
    for (const HeldOutTest& one : tests_) {
        if (covers(boxes, one.sizes)) {
            evidence.push_back({one.sizes, one.loss, one.good, true});
        }
    }
    for (const CostTable::Probe& probe : table_.probes()) {
        if (covers(boxes, probe.sizes)) {
            evidence.push_back({probe.sizes, table_.loss(probe, configuration),
                                table_.serves(probe, configuration, limit_)});
        }
    }
    for (const Sizes& sizes : unknown_) {
        if (covers(boxes, sizes)) {
            evidence.push_back({sizes, 1, false});
        }
    }
    return evidence;
}

void Judgement::divide(const FittedRange& range) {
    if (range.is_doubtful) {
        boxes_[{range.configuration, true}].push_back(range.box);
        return;
    }
    const std::vector<Evidence> evidence = evidence_in({range.box}, range.configuration);
    Boxes doubtful;
    for (const Evidence& one : evidence) {
        if (!one.good && !covers(doubtful, one.sizes)) {
            const SizeBox part = doubtful_part(range.box, one.sizes, evidence);
            const Boxes more = outside(Boxes{part}, doubtful);
            doubtful.insert(doubtful.end(), more.begin(), more.end());
        }
    }
    const Boxes rest = outside(Boxes{range.box}, doubtful);
    for (const auto& [parts, unsure] : {std::pair(rest, false), std::pair(doubtful, true)}) {
        if (!parts.empty()) {
            Boxes& all = boxes_[{range.configuration, unsure}];
            all.insert(all.end(), parts.begin(), parts.end());
        }
    }
}

ServedRange Judgement::judged(const Boxes& boxes, std::size_t configuration,
                              bool is_doubtful) const {
    ServedRange range{table_.configurations()[configuration], boxes, boxes.front().from};
    const SizeBox& first = boxes.front();
    double nearest = std::numeric_limits<double>::infinity();
    double known = 0;
    bool good = true;
    for (const Evidence& one : evidence_in(boxes, configuration)) {
        good = good && one.good;
        range.held_out += one.held_out ? 1 : 0;
        ++known;
        range.loss_bound = std::max(range.loss_bound, one.loss);
        const double off_middle =
            std::abs(octaves_between(one.sizes, first.from) - octaves_between(one.sizes, first.to));
        if (first.contains(one.sizes) && off_middle < nearest) {
            nearest = off_middle;
            range.sizes = one.sizes;
        }
    }
    range.unsure = !good || (known < sizes_in(boxes) && (is_doubtful || !passed_));
    return range;
}

std::vector<ServedRange> Judgement::served() const {
    std::vector<ServedRange> served;
    for (const auto& [key, boxes] : boxes_) {
        served.push_back(judged(joined(boxes), key.first, key.second));
    }
    std::sort(served.begin(), served.end(), [](const ServedRange& a, const ServedRange& b) {
        return a.boxes.front().from < b.boxes.front().from;
    });
    return served;
}

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
    return std::none_of(table_.probes().begin(), table_.probes().end(),
                        [&](const CostTable::Probe& probe) {
                            return lies_between(probe.sizes, left, right) && probe.sizes != left &&
                                   probe.sizes != right;
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

bool have_passed(const std::vector<HeldOutTest>& tests, double limit, std::size_t wanted) {
    constexpr double kFarBy = 2.5;
    constexpr std::ptrdiff_t kOneIn = 5;
    const auto far = std::count_if(tests.begin(), tests.end(), [&](const HeldOutTest& one) {
        return !one.good && one.loss > 1 + kFarBy * (limit - 1);
    });
    return tests.size() >= wanted && far <= (std::ssize(tests) + kOneIn - 1) / kOneIn;
}

std::optional<double> most_trusted_loss(std::vector<HeldOutTest> tests, std::size_t wanted) {
    constexpr std::size_t kOneIn = 20;
    if (tests.size() < wanted) {
        return std::nullopt;
    }
    std::stable_sort(tests.begin(), tests.end(),
                     [](const HeldOutTest& one, const HeldOutTest& other) {
                         return one.expected_loss < other.expected_loss;
                     });
    std::optional<double> most;
    std::size_t failed = 0;
    for (std::size_t i = 0; i < tests.size(); ++i) {
        failed += tests[i].good ? 0 : 1;
        const bool is_last_of_its_loss =
            i + 1 == tests.size() || tests[i + 1].expected_loss > tests[i].expected_loss;
        if (is_last_of_its_loss && kOneIn * failed <= i + 1 && 2 * (i + 1) >= wanted) {
            most = tests[i].expected_loss;
        }
    }
    return most;
}

std::vector<ServedRange> judge_ranges(const std::vector<FittedRange>& ranges,
                                      const CostTable& table, const std::vector<HeldOutTest>& tests,
                                      const std::vector<Sizes>& unknown, double limit,
                                      bool passed) {
    Judgement judgement(table, tests, unknown, limit, passed);
    for (const FittedRange& range : ranges) {
        judgement.divide(range);
    }
    return judgement.served();
}

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
