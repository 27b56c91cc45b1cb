#pragma once

#include <cstdint>
#include <span>

#include "engine/dispatch_table.hpp"
#include "engine/launch_rule.hpp"

namespace jitune {

/// resolved.rule.plan(sizes), remembered for the last few problems of the calling thread: working a
/// plan out costs a call that comes again about as much as the rest of its dispatch. Valid until
/// the thread's next call. Throws as plan() does.
const LaunchRule::Plan& remembered_plan(const Resolved& resolved,
                                        std::span<const std::int64_t> sizes);

}  // namespace jitune
