// SPDX-License-Identifier: Apache-2.0
#include "dispatch/call_memo.hpp"

namespace jitune::internal {

const ReadyLaunch& CallMemo::prepare(const CallKey& key, std::span<const std::int64_t> sizes,
                                     const Resolved& resolved, StreamSite& site) {
    Entry& entry = entries_[place_of(key)];
    entry.key = {};
    const LaunchRule::Plan plan = resolved.rule.plan(sizes);
    resolved.program->prepare(resolved.rule.bind(plan, site.scratch(plan.scratch)), entry.launch);
    entry.key = key;
    return *entry.launch;
}

}  // namespace jitune::internal
