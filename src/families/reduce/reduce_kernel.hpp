// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dispatch/engine.hpp"
#include "dispatch/family.hpp"
#include "families/reduce/reduce_layout.hpp"
#include "jitune/reduce.hpp"

namespace jitune::internal {

/// A reduction of host memory with at most so many bytes of elements is not tuned for calls. One
/// thread reads them from its first cache, where configurations differ by nanoseconds:
/// docs/reference/performance.md, "Small arrays".
inline constexpr std::uint64_t kSmallBytes = 4096;

/// Data for the reductions of one shape. Expected results are exact where the operation's
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

inline constexpr std::string_view kReduceFamily = "reduce";  ///< Family::name

/// The built-in kernel of a shape for a platform that compiles code. Parsed once.
const Kernel& reduce_kernel(ReduceKind kind, PlatformKind platform);

/// That kernel with the caller's operation in place of jitune::Custom. Throws Error(usage) for an
/// invalid operation.
Kernel custom_reduce_kernel(ReduceKind kind, PlatformKind platform,
                            const CustomOperation& operation);

/// The alignment in bytes of all rows of a matrix whose first row is aligned, at most 16; for other
/// shapes the bytes of an element. It is part of the key, because matrices that differ in it need
/// different kernels.
inline std::size_t row_alignment(const detail::ReduceRequest& request) {
    constexpr std::size_t kMost = 16;
    const std::size_t element = bytes_of(request.element);
    const ReduceKind kind = request.shape.kind;
    if (kind != ReduceKind::rows && kind != ReduceKind::columns) {
        return element;
    }
    const std::size_t row = static_cast<std::size_t>(request.shape.inner) * element | kMost;
    return row & (~row + 1);
}

/// The kernel of a Kernel::spec that one of these two has made: the family, the shape's kernel, the
/// platform and the fields of a custom operation. Throws Error(usage) for a malformed spec.
Kernel reduce_kernel_of(std::span<const std::string> spec);

/// Family::launch_bytes.
std::optional<double> reduce_bytes(const NamedLaunch& launch);

/// Throws Error(usage) for a result type that the operation does not support.
Problem reduce_problem(const detail::ReduceRequest& request);

}  // namespace jitune::internal
