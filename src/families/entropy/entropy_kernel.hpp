// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dispatch/family.hpp"
#include "jitune/entropy.hpp"
#include "template/kernel.hpp"
#include "template/problem.hpp"

namespace jitune::internal {

/// Throws Error(usage) for an invalid window, number of levels or base, and for bad sizes.
void refuse_bad_entropy(const detail::EntropyRequest& request);

/// The rows and columns that a kernel is given, in the order of its template's `sizes`. An array of
/// one column is given as one row: its windows have the same elements, and threads are used better.
std::array<std::int64_t, 2> sizes_of(const detail::EntropyRequest& request);

/// The alignment in bytes of all rows of an input whose first row is aligned, at most 16. It is
/// part of the key, since arrays that differ in it need different kernels.
std::size_t row_alignment(const detail::EntropyRequest& request);

/// For sizes above 0.
Problem entropy_problem(const detail::EntropyRequest& request);

/// The request of a problem that entropy_problem() has made, with the natural logarithm: problems
/// do not hold the base. Throws Error(usage) for any other problem.
detail::EntropyRequest entropy_request(const Problem& problem);

/// The factor that turns a natural entropy into one of the request's base.
double scale_of(const Entropy& entropy);

inline constexpr std::string_view kEntropyFamily = "entropy";  ///< Family::name

/// Data for the windowed entropy. Problems are those of entropy_problem(); the inputs of a case are
/// the levels and the scale, which is 1. Stateless and thread-safe.
class EntropyWorkload : public Workload {
public:
    /// Noise, flat areas, one level, elements outside of the levels, and windows that reach over
    /// all borders at once.
    [[nodiscard]] std::vector<Case> checks(const Problem& problem) const override;
    /// Noise, with all levels equally likely.
    [[nodiscard]] Case timed(const Problem& problem) const override;
};

/// The built-in kernel for a platform that compiles code. Parsed once.
const Kernel& entropy_kernel(PlatformKind platform);

/// The kernel of a Kernel::spec that entropy_kernel() has made. Throws Error(usage) for a malformed
/// spec.
Kernel entropy_kernel_of(std::span<const std::string> spec);

/// Family::launch_bytes.
std::optional<double> entropy_bytes(const NamedLaunch& launch);

}  // namespace jitune::internal
