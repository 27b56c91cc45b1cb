// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sizes/size_box.hpp"

namespace jitune::internal {

/// A computation: the kernel with its types and operation, the sizes and what is known of
/// the data's alignment.
struct Problem {
    std::string kernel;                        ///< "reduce"
    std::map<std::string, std::string> types;  ///< type parameter -> name: {"element", "float32"}
    std::vector<std::int64_t> sizes;  ///< in the order of the template's `sizes`; each >= 1
    std::int64_t alignment = 1;       ///< bytes that the kernel may be tuned for, never rely on
    std::string pinned = {};  ///< the configuration that must answer; empty: the best there is
    /// If `alignment` is known, each size is a multiple of these; empty: any sizes are possible.
    Sizes multiples = {};
};

/// The half-octaves of each size, as src/sizes/bucket.hpp says. A size of 2^k is the middle of
/// half-octave 2k.
std::int64_t size_bucket(std::span<const std::int64_t> sizes);

/// The box of all sizes with the same half-octaves as `sizes`. From the fourth size on, it holds
/// only that size itself.
SizeBox bucket_box(std::span<const std::int64_t> sizes);

/// The value of a type parameter that is a number, as in {"radius", "8"}. Throws Error(usage) if
/// the problem has no such parameter or its value is not a whole number.
int number_type(const Problem& problem, const std::string& parameter);

/// "accumulator=float32 element=float32 operation=sum": settings.
std::string types_text(const Problem& problem);

/// "n=1048576"
std::string sizes_text(const Problem& problem, const std::vector<std::string>& names);

/// A types_text(), which keys have sorted by name, in the order in which people read it: formula,
/// element, operation, accumulator, result, then the others as they come, determinism last.
std::string readable_types(std::string_view types);

}  // namespace jitune::internal
