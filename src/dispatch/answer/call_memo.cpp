// SPDX-License-Identifier: Apache-2.0
#include "dispatch/answer/call_memo.hpp"

#include <algorithm>

#include "dispatch/observe/call_counts.hpp"
#include "dispatch/observe/winner_watch.hpp"

namespace jitune::internal {

void CallMemo::Tally::add() {
    constexpr std::uint64_t kMost = 1024;
    total->fetch_add(calls, std::memory_order_relaxed);
    added += calls;
    unsampled += calls;
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
    tallies_[place] = {.calls = 1,
                       .total = &calls_of(resolved, sizes),
                       .answer = &resolved,
                       .dimensions = static_cast<std::uint32_t>(sizes.size())};
    tallies_[place].add();
    return *entry.launch;
}

const ReadyLaunch* CallMemo::counted(std::size_t place) {
    Tally& tally = tallies_[place];
    const Entry& entry = entries_[place];
    tally.add();
    if (tally.unsampled < WinnerWatch::kCallsPerSample ||
        tally.dimensions > entry.key.sizes.size()) {
        return entry.launch.get();
    }
    tally.unsampled = 0;
    WinnerWatch* const watch = tally.answer->watch.load(std::memory_order_acquire);
    if (watch == nullptr) {
        return entry.launch.get();
    }
    watched_.watch = watch;
    watched_.answer = tally.answer;
    watched_.sizes = entry.key.sizes;
    watched_.dimensions = tally.dimensions;
    watched_.launch = entry.launch.get();
    return &watched_;
}

void CallMemo::WatchedLaunch::call(const ReadyLaunch& self, void* const* arrays, Stream stream) {
    const auto& watched = static_cast<const WatchedLaunch&>(self);
    const std::span<const std::int64_t> sizes(watched.sizes.data(), watched.dimensions);
    watched.watch->launch(*watched.answer, sizes, *watched.launch, arrays, stream);
}

}  // namespace jitune::internal
