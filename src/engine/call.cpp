#include "engine/call.hpp"

#include "engine/plan_memo.hpp"

namespace jitune {

void launch(const Resolved& resolved, std::span<const std::int64_t> sizes,
            std::span<void* const> arrays, StreamSite& site, Stream stream) {
    RememberedPlan& plan = remembered_plan(resolved, sizes);
    const Launch& launch = plan.with(resolved, site.scratch(plan.need()));
    resolved.program->launch_on(launch, arrays, stream);
}

}  // namespace jitune
