#pragma once

#include <span>
#include <string>
#include <string_view>

#include "dispatch/engine.hpp"
#include "jitune/reduce.hpp"

namespace jitune {

using ReduceKind = detail::ReduceShape::Kind;

/// "cuda", "host" or "machine".
inline std::string_view platform_of(const Backend& backend) {
    const std::string_view id = backend.info().id;
    return id == "host" || id == "machine" ? id : std::string_view("cuda");
}

/// The built-in kernel of a shape for a backend: "cuda" or "host". Parsed once.
const Kernel& reduce_kernel(ReduceKind kind, std::string_view backend);

/// That kernel with the caller's operation in the place of jitune::Custom. Throws Error(usage) for
/// an operation that cannot be one.
Kernel custom_reduce_kernel(ReduceKind kind, std::string_view backend,
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

}  // namespace jitune
