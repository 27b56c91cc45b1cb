#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "engine/dispatch_table.hpp"
#include "engine/launch_rule.hpp"

namespace jitune {

/// A plan with the launch that was last made of it.
class RememberedPlan {
public:
    [[nodiscard]] const ScratchNeed& need() const { return plan_.scratch; }

    /// The plan of `resolved`, which it was remembered for, with work memory.
    const Launch& with(const Resolved& resolved, const Scratch& scratch) {
        if (!bound_ || scratch_ != scratch) [[unlikely]] {
            bind(resolved, scratch);
        }
        return launch_;
    }

private:
    friend RememberedPlan& remembered_plan(const Resolved& resolved,
                                           std::span<const std::int64_t> sizes);
    static constexpr std::size_t kMostSizes = 3;  // problems of more are not remembered

    [[nodiscard]] bool is_of(const Resolved& resolved, std::span<const std::int64_t> sizes) const;
    void remember(const Resolved& resolved, std::span<const std::int64_t> sizes);
    void bind(const Resolved& resolved, const Scratch& scratch);

    std::uint64_t serial_ = 0;  // of the answer; 0: none
    std::array<std::int64_t, kMostSizes> sizes_{};
    bool bound_ = false;
    Scratch scratch_;
    Launch launch_{};
    LaunchRule::Plan plan_{};
};

/// resolved.rule.plan(sizes), remembered for the last few problems of the calling thread: working a
/// plan out costs a call that comes again about as much as the rest of its dispatch. Valid until
/// the thread's next call. Throws as plan() does.
RememberedPlan& remembered_plan(const Resolved& resolved, std::span<const std::int64_t> sizes);

}  // namespace jitune
