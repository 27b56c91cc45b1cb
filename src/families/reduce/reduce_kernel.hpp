// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "dispatch/engine.hpp"
#include "jitune/reduce.hpp"

namespace jitune::internal {

using ReduceKind = detail::ReduceShape::Kind;

/// The built-in kernel of a shape for a platform that compiles code. Parsed once.
const Kernel& reduce_kernel(ReduceKind kind, PlatformKind platform);

/// That kernel with the caller's operation in the place of jitune::Custom. Throws Error(usage) for
/// an operation that cannot be one.
Kernel custom_reduce_kernel(ReduceKind kind, PlatformKind platform,
                            const CustomOperation& operation);

/// Bytes that all rows of the matrix are aligned to if the first is, at most 16; of other shapes
/// the bytes of an element. Matrices that differ in it want other kernels, so the key holds it.
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

/// The kernel of a Kernel::spec that one of these two has made: "reduce", the shape, the backend
/// and the fields of a custom operation. Throws Error(usage) for any other.
Kernel reduce_kernel_of(std::span<const std::string> spec);

/// Throws Error(usage) for a result that the operation does not have.
Problem reduce_problem(const detail::ReduceRequest& request);

}  // namespace jitune::internal
