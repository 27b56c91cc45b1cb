// SPDX-License-Identifier: Apache-2.0
#include "dispatch/call_memo.hpp"

#include <algorithm>

#include "dispatch/call_counts.hpp"

namespace jitune::internal {

void CallMemo::Tally::add() {
    constexpr std::uint64_t kMost = 1024;
    total->fetch_add(calls, std::memory_order_relaxed);
    added += calls;
    calls = 0;
    due = static_cast<std::uint32_t>(std::min(1 + added / 8, kMost));
}

const ReadyLaunch& CallMemo::prepare(const CallKey& key, std::span<const std::int64_t> sizes,
                                     const Resolved& resolved, StreamSite& site) {
    const std::size_t place = place_of(key);
    Entry& entry = entries_[place];
    entry.key = {};
    const LaunchRule::Plan plan = resolved.rule.plan(sizes);
    resolved.program->prepare(resolved.rule.bind(plan, site.scratch(plan.scratch)), entry.launch);
    entry.key = key;
    CallCounts* const counts = resolved.counts.load(std::memory_order_acquire);
    tallies_[place] = {.total = counts != nullptr ? &counts->of(resolved, sizes) : &resolved.calls};
    tallies_[place].count();
    return *entry.launch;
}

}  // namespace jitune::internal
