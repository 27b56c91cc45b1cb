// SPDX-License-Identifier: Apache-2.0
#include "range/range_fit.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace jitune::internal {

namespace {

using Numbers = std::vector<std::size_t>;

/// How badly a configuration serves some probes: first, at how many of them it is not within the
/// limit; then, how much slower it is on average, in steps that noise seldom crosses. All losses
/// far beyond the limit count alike.
struct Badness {
    std::size_t failures = 0;
    int steps = 0;

    auto operator<=>(const Badness&) const = default;
};

/// Losses far beyond any limit count alike.
double log_loss(const CostTable& table, const CostTable::Probe& probe, std::size_t configuration) {
    constexpr double kFar = 4;
    return std::log(std::min(table.loss(probe, configuration), kFar));
}

/// The configurations of a table, in the order of their texts.
Numbers by_text(const CostTable& table) {
    Numbers numbers(table.configurations().size());
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    std::sort(numbers.begin(), numbers.end(), [&](std::size_t a, std::size_t b) {
        return table.configurations()[a] < table.configurations()[b];
    });
    return numbers;
}

class Fit {
public:
    Fit(const CostTable& table, const Numbers& codes, const FitLimits& limits)
        : table_(table), codes_(codes), limits_(limits), candidates_(by_text(table)) {
        for (std::size_t i = 0; i < table.configurations().size(); ++i) {
            service_.push_back(services_of(i));
        }
    }

    void choose_kept();
    void cut(const SizeBox& box, const Numbers& probes, std::vector<FittedRange>& ranges) const;

private:
    /// The worth of a configuration at a probe.
    struct Service {
        bool is_enough = false;  ///< within the limit
        double log_loss = 0;     ///< log_loss()
    };
    [[nodiscard]] std::vector<Service> services_of(std::size_t configuration) const;

    struct Split {
        std::size_t dimension = 0;
        std::int64_t last = 0;  ///< of the lower part
        // Smaller is better.
        std::size_t failures = 0;
        std::size_t impure = 0;  ///< probes in parts that no configuration serves
        int roughness = 0;
        double neighbours = 0;  ///< how near the probes on both sides are

        [[nodiscard]] auto rank() const {
            return std::tuple(failures, impure, roughness, neighbours, dimension, last);
        }
    };

    [[nodiscard]] const CostTable::Probe& probe(std::size_t number) const {
        return table_.probes()[number];
    }
    [[nodiscard]] Badness badness(std::size_t configuration, const Numbers& probes) const;
    [[nodiscard]] std::pair<std::size_t, Badness> best_of(const Numbers& configurations,
                                                          const Numbers& probes) const;
    [[nodiscard]] double lost_at(std::size_t number) const;
    [[nodiscard]] std::optional<std::size_t> next_kept(const Numbers& left) const;
    [[nodiscard]] Numbers unserved() const;
    [[nodiscard]] bool has_room_for(std::size_t configuration) const;
    void drop_needless();
    [[nodiscard]] std::optional<Split> best_split(const SizeBox& box, const Numbers& probes) const;
    [[nodiscard]] Split rate(Split split, const Numbers& probes) const;

    const CostTable& table_;
    const Numbers& codes_;
    const FitLimits limits_;
    const Numbers candidates_;                   ///< by_text()
    std::vector<std::vector<Service>> service_;  ///< by configuration and probe
    Numbers kept_;
};

std::vector<Fit::Service> Fit::services_of(std::size_t configuration) const {
    std::vector<Service> services;
    for (const CostTable::Probe& one : table_.probes()) {
        services.push_back({table_.serves(one, configuration, limits_.loss),
                            log_loss(table_, one, configuration)});
    }
    return services;
}

Badness Fit::badness(std::size_t configuration, const Numbers& probes) const {
    constexpr double kStep = 0.01;
    Badness sum;
    double log_loss = 0;
    for (const std::size_t number : probes) {
        const Service& its = service_[configuration][number];
        sum.failures += its.is_enough ? 0 : 1;
        log_loss += its.log_loss;
    }
    const double mean = log_loss / static_cast<double>(std::max<std::size_t>(probes.size(), 1));
    sum.steps = static_cast<int>(mean / kStep);
    return sum;
}

std::pair<std::size_t, Badness> Fit::best_of(const Numbers& configurations,
                                             const Numbers& probes) const {
    std::pair<std::size_t, Badness> best{configurations.front(),
                                         badness(configurations.front(), probes)};
    for (const std::size_t configuration : configurations) {
        if (const Badness its = badness(configuration, probes); its < best.second) {
            best = {configuration, its};
        }
    }
    return best;
}

bool Fit::has_room_for(std::size_t configuration) const {
    std::set<std::size_t> codes;
    for (const std::size_t kept : kept_) {
        codes.insert(codes_[kept]);
    }
    codes.insert(codes_[configuration]);
    return codes.size() <= limits_.most_codes;
}

/// Returns the least log_loss of the kept configurations at a probe that none of them serves.
/// Returns 1 while no configuration is kept.
double Fit::lost_at(std::size_t number) const {
    constexpr double kLeast = 0.005;  // slower than the default by less than the limit
    double least = std::numeric_limits<double>::infinity();
    for (const std::size_t kept : kept_) {
        least = std::min(least, service_[kept][number].log_loss);
    }
    return kept_.empty() ? 1 : std::max(least, kLeast);
}

/// Returns the first candidate that saves nearly as much as any: noise decides about a few probes.
/// A candidate saves, at the probes in `left` where it is within the limit, what the kept
/// configurations lose there. Returns nothing if no candidate saves anything or has room.
std::optional<std::size_t> Fit::next_kept(const Numbers& left) const {
    constexpr double kNearly = 0.95;
    std::vector<double> saved;  // by candidate, in their order
    for (const std::size_t candidate : candidates_) {
        double& its = saved.emplace_back(0);
        for (const std::size_t number : left) {
            its += service_[candidate][number].is_enough ? lost_at(number) : 0;
        }
        its = has_room_for(candidate) ? its : 0;
    }
    const double most = *std::max_element(saved.begin(), saved.end());
    const auto next =
        std::find_if(saved.begin(), saved.end(), [&](double its) { return its >= kNearly * most; });
    return most == 0 ? std::nullopt
                     : std::optional(candidates_[static_cast<std::size_t>(next - saved.begin())]);
}

Numbers Fit::unserved() const {
    Numbers left;
    for (std::size_t i = 0; i < table_.probes().size(); ++i) {
        if (std::none_of(kept_.begin(), kept_.end(),
                         [&](std::size_t kept) { return service_[kept][i].is_enough; })) {
            left.push_back(i);
        }
    }
    return left;
}

/// Drops configurations that later choices have made needless.
void Fit::drop_needless() {
    const std::size_t unserved_before = unserved().size();
    for (std::size_t i = 0; i < kept_.size() && kept_.size() > 1;) {
        const std::size_t dropped = kept_[i];
        kept_.erase(kept_.begin() + static_cast<std::ptrdiff_t>(i));
        if (unserved().size() > unserved_before) {
            kept_.insert(kept_.begin() + static_cast<std::ptrdiff_t>(i++), dropped);
        }
    }
}

/// Chooses the kept configurations, as a greedy set cover.
void Fit::choose_kept() {
    for (Numbers left = unserved(); !left.empty(); left = unserved()) {
        const auto next = next_kept(left);
        if (!next) {
            break;
        }
        kept_.push_back(*next);
    }
    if (kept_.empty()) {  // nothing is within the limit anywhere
        Numbers all(table_.probes().size());
        for (std::size_t i = 0; i < all.size(); ++i) {
            all[i] = i;
        }
        kept_.push_back(best_of(candidates_, all).first);
    }
    drop_needless();
    std::sort(kept_.begin(), kept_.end(), [&](std::size_t a, std::size_t b) {
        return table_.configurations()[a] < table_.configurations()[b];
    });
}

Fit::Split Fit::rate(Split split, const Numbers& probes) const {
    Numbers parts[2];
    for (const std::size_t number : probes) {
        parts[probe(number).sizes[split.dimension] > split.last ? 1 : 0].push_back(number);
    }
    for (const Numbers& part : parts) {
        const std::size_t failures = best_of(kept_, part).second.failures;
        split.failures += failures;
        split.impure += failures > 0 ? part.size() : 0;
    }
    return split;
}

std::optional<Fit::Split> Fit::best_split(const SizeBox& box, const Numbers& probes) const {
    std::optional<Split> best;
    for (std::size_t dimension = 0; dimension < box.from.size(); ++dimension) {
        std::set<std::int64_t> sizes;
        for (const std::size_t number : probes) {
            sizes.insert(probe(number).sizes[dimension]);
        }
        for (auto low = sizes.begin(); low != sizes.end() && std::next(low) != sizes.end(); ++low) {
            const std::int64_t high = *std::next(low);
            Split split{dimension, roundest(*low, high)};
            split.roughness = significant_bits(split.last);
            split.neighbours = static_cast<double>(high) / static_cast<double>(*low);
            split = rate(split, probes);
            if (!best || split.rank() < best->rank()) {
                best = split;
            }
        }
    }
    return best;
}

void Fit::cut(const SizeBox& box, const Numbers& probes, std::vector<FittedRange>& ranges) const {
    const auto [configuration, its] = best_of(kept_, probes);
    const auto split = its.failures == 0 ? std::nullopt : best_split(box, probes);
    if (!split) {
        ranges.push_back({box, configuration});
        return;
    }
    SizeBox lower = box;
    SizeBox upper = box;
    lower.to[split->dimension] = split->last;
    upper.from[split->dimension] = split->last + 1;
    Numbers below;
    Numbers above;
    for (const std::size_t number : probes) {
        (lower.contains(probe(number).sizes) ? below : above).push_back(number);
    }
    cut(lower, below, ranges);
    cut(upper, above, ranges);
}

/// Joins what touches in one dimension and is alike in all others.
void join_along(std::size_t dimension, std::vector<SizeBox>& boxes) {
    const auto others = [&](const SizeBox& box) {
        SizeBox rest = box;
        rest.from[dimension] = rest.to[dimension] = 0;
        return std::pair(rest.from, rest.to);
    };
    std::sort(boxes.begin(), boxes.end(), [&](const SizeBox& one, const SizeBox& other) {
        return std::pair(others(one), one.from[dimension]) <
               std::pair(others(other), other.from[dimension]);
    });
    std::vector<SizeBox> joined;
    for (const SizeBox& box : boxes) {
        if (!joined.empty() && others(joined.back()) == others(box) &&
            box.from[dimension] - 1 <= joined.back().to[dimension]) {
            std::int64_t& end = joined.back().to[dimension];
            end = std::max(end, box.to[dimension]);
        } else {
            joined.push_back(box);
        }
    }
    boxes = std::move(joined);
}

}  // namespace

int significant_bits(std::int64_t size) {
    const auto bits = static_cast<std::uint64_t>(size);
    return static_cast<int>(std::bit_width(bits)) - std::countr_zero(bits);
}

std::int64_t roundest(std::int64_t from, std::int64_t to) {
    std::int64_t best = from;
    for (std::int64_t step = 1; step > 0 && step < to; step *= 2) {
        const std::int64_t first = (from + step - 1) / step * step;
        if (first >= to) {
            break;
        }
        best = first;
    }
    return best;
}

std::vector<SizeBox> joined(std::vector<SizeBox> boxes) {
    for (std::size_t before = boxes.size() + 1; boxes.size() < before;) {
        before = boxes.size();
        for (std::size_t i = 0; i < boxes.front().from.size(); ++i) {
            join_along(i, boxes);
        }
    }
    return boxes;
}

std::vector<FittedRange> fit_ranges(const CostTable& table, const std::vector<SizeBox>& parts,
                                    const std::vector<std::size_t>& codes,
                                    const FitLimits& limits) {
    Fit fit(table, codes, limits);
    fit.choose_kept();
    std::vector<FittedRange> ranges;
    for (const SizeBox& part : parts) {
        Numbers probes;
        for (std::size_t i = 0; i < table.probes().size(); ++i) {
            if (part.contains(table.probes()[i].sizes)) {
                probes.push_back(i);
            }
        }
        fit.cut(part, probes, ranges);
    }
    return ranges;
}

std::vector<std::size_t> best_together(const CostTable& table, std::size_t most) {
    const auto& probes = table.probes();
    std::vector<double> least(probes.size(), std::numeric_limits<double>::infinity());
    const auto losses_with = [&](std::size_t configuration) {
        double together = 0;
        double alone = 0;
        for (std::size_t i = 0; i < probes.size(); ++i) {
            const double its = log_loss(table, probes[i], configuration);
            together += std::min(least[i], its);
            alone += its;
        }
        return std::pair(together, alone);
    };
    Numbers left = by_text(table);
    std::vector<std::size_t> chosen;
    while (chosen.size() < most && !left.empty()) {
        const auto next = std::min_element(
            left.begin(), left.end(),
            [&](std::size_t a, std::size_t b) { return losses_with(a) < losses_with(b); });
        for (std::size_t i = 0; i < probes.size(); ++i) {
            least[i] = std::min(least[i], log_loss(table, probes[i], *next));
        }
        chosen.push_back(*next);
        left.erase(next);
    }
    return chosen;
}

const FittedRange& range_of(const std::vector<FittedRange>& ranges, const Sizes& sizes) {
    return *std::find_if(ranges.begin(), ranges.end(),
                         [&](const FittedRange& range) { return range.box.contains(sizes); });
}

}  // namespace jitune::internal
