// SPDX-License-Identifier: Apache-2.0
#include "spread/halo_plan.hpp"

#include <algorithm>
#include <numeric>

namespace jitune::internal {

namespace {

/// Units of the whole array, [begin, end).
struct Range {
    std::int64_t begin;
    std::int64_t end;
    [[nodiscard]] std::int64_t count() const { return std::max<std::int64_t>(end - begin, 0); }
};

class Planner {
public:
    Planner(std::span<const std::int64_t> counts, std::int64_t radius, Ends ends)
        : starts_(counts.size() + 1), radius_(radius), ends_(ends) {
        std::partial_sum(counts.begin(), counts.end(), starts_.begin() + 1);
        n_ = starts_.back();
    }

    [[nodiscard]] HaloShard plan(std::size_t shard) const {
        const Range own{starts_[shard], starts_[shard + 1]};
        Range centres = own;
        if (ends_ == Ends::valid) {
            centres = {std::max(own.begin, radius_), std::min(own.end, n_ - radius_)};
        }
        HaloShard plan;
        plan.outputs = centres.count();
        if (plan.outputs == 0) {
            return plan;
        }
        plan.padded = ends_ == Ends::valid && own.begin > 0;
        const Range inputs = plan.padded ? centres : own;
        const Range right = right_of_body(inputs, centres);
        if (right.count() == 0) {
            add_piece(plan, centres, centres);
            return plan;
        }
        plan.body_from = inputs.begin - own.begin;
        plan.body = inputs.count();
        add_piece(plan, {centres.begin, right.begin}, centres);
        add_piece(plan, {right.end, centres.end}, centres);
        return plan;
    }

private:
    /// The outputs that are right if a body runs over `inputs`.
    [[nodiscard]] Range right_of_body(const Range& inputs, const Range& centres) const {
        const bool whole = inputs.begin == 0 && inputs.end == n_;
        // What lies beyond the other ends is up to the kernel, which knows it at the array's ends.
        const bool at_ends = ends_ != Ends::valid && ends_ != Ends::wrap;
        const bool first = whole || (at_ends && inputs.begin == 0);
        const bool last = whole || (at_ends && inputs.end == n_);
        return {std::max(centres.begin, first ? inputs.begin : inputs.begin + radius_),
                std::min(centres.end, last ? inputs.end : inputs.end - radius_)};
    }

    /// Adds the inputs of the outputs `piece` to the band. No window around one piece reaches
    /// another piece.
    void add_piece(HaloShard& plan, const Range& piece, const Range& centres) const {
        if (piece.count() == 0) {
            return;
        }
        Range inputs{piece.begin - radius_, piece.end + radius_};
        if (ends_ != Ends::wrap) {
            inputs = {std::max<std::int64_t>(inputs.begin, 0), std::min(inputs.end, n_)};
        }
        const bool shifted = ends_ == Ends::valid && !plan.padded;
        plan.edges.push_back({0, plan.band + piece.begin - inputs.begin - (shifted ? radius_ : 0),
                              piece.begin - centres.begin, piece.count()});
        for (std::int64_t at = inputs.begin; at < inputs.end;) {
            const std::int64_t unit = (at % n_ + n_) % n_;
            const auto after = std::upper_bound(starts_.begin(), starts_.end(), unit);
            const std::int64_t count = std::min(inputs.end - at, *after - unit);
            const auto shard = static_cast<std::size_t>(after - starts_.begin()) - 1;
            plan.gather.push_back({shard, unit - starts_[shard], plan.band, count});
            plan.band += count;
            at += count;
        }
    }

    std::vector<std::int64_t> starts_;
    std::int64_t radius_;
    Ends ends_;
    std::int64_t n_ = 0;
};

}  // namespace

std::vector<HaloShard> halo_plan(std::span<const std::int64_t> counts, std::int64_t radius,
                                 Ends ends) {
    const Planner planner(counts, radius, ends);
    std::vector<HaloShard> plans;
    for (std::size_t shard = 0; shard < counts.size(); ++shard) {
        plans.push_back(planner.plan(shard));
    }
    return plans;
}

}  // namespace jitune::internal
