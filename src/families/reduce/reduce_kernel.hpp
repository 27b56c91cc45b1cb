// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "dispatch/engine.hpp"
#include "dispatch/family.hpp"
#include "jitune/reduce.hpp"

namespace jitune::internal {

using ReduceKind = detail::ReduceShape::Kind;

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
