// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "families/reduce/reduce_layout.hpp"
#include "template/workload.hpp"

namespace jitune::internal {

/// A reduction of host memory with at most so many bytes of elements is not tuned for calls. One
/// thread reads them from its first cache, where configurations differ by nanoseconds:
/// docs/reference/performance.md, "Small arrays".
inline constexpr std::uint64_t kSmallBytes = 4096;

/// Data for the reductions of one shape. Expected results are exact if the operation's
/// arithmetic allows it (reduce_data.hpp). The sizes of a problem are {n}, {rows, columns} or
/// {segments, n}; its inputs are the values and, for segments, the offsets; its types are
/// "element", "operation" and "result". Stateless and thread-safe.
class ReduceWorkload : public Workload {
public:
    /// `custom_tolerance` is CustomOperation::tolerance; used by custom operations only.
    explicit ReduceWorkload(ReduceKind kind, double custom_tolerance = 0)
        : kind_(kind), custom_tolerance_(custom_tolerance) {}

    /// False on the host for up to kSmallBytes of elements.
    [[nodiscard]] bool can_gain(const Problem& problem, PlatformKind platform) const override;
    [[nodiscard]] std::vector<Case> checks(const Problem& problem) const override;
    [[nodiscard]] Case timed(const Problem& problem) const override;

private:
    ReduceKind kind_;
    double custom_tolerance_;
};

}  // namespace jitune::internal
