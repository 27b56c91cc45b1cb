// SPDX-License-Identifier: Apache-2.0
#include "dispatch/observe/call_counts.hpp"

#include <algorithm>
#include <memory>

namespace jitune::internal {

std::atomic<std::int64_t>& CallCounts::of(const Resolved& answer,
                                          std::span<const std::int64_t> sizes) {
    std::uint64_t hash = 0;
    for (const std::int64_t size : sizes) {
        hash = hash * 31 + static_cast<std::uint64_t>(size);
    }
    const Key key{&answer, hash};
    const auto is_same = [&](const Count& one) { return std::ranges::equal(one.sizes, sizes); };
    if (Count* const known = counts_.find(key, is_same)) {
        return known->calls;
    }
    const std::lock_guard lock(mutex_);
    if (Count* const known = counts_.find(key, is_same)) {
        return known->calls;
    }
    if (all_.size() == kMost) {
        return answer.calls;
    }
    all_.reserve(kMost);  // so that what is in the table is also in the list
    all_.push_back(&counts_.put(
        key, std::unique_ptr<Count>(new Count{&answer, Sizes(sizes.begin(), sizes.end())})));
    return all_.back()->calls;
}

std::vector<CallCounts::Count*> CallCounts::all() const {
    const std::lock_guard lock(mutex_);
    return all_;
}

}  // namespace jitune::internal
