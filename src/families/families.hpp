// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "dispatch/family.hpp"

namespace jitune::internal {

/// All families of kernels.
std::span<const Family> families();

/// The bytes that one launch of a built-in kernel reads and writes: the problem is given by the
/// texts of its RecordKey and its sizes. Nothing for kernels in files, and if the texts or sizes
/// are not those of a built-in kernel.
std::optional<double> launch_bytes(std::string_view kernel, std::string_view types,
                                   std::span<const std::int64_t> sizes);
std::optional<double> launch_bytes(const Problem& problem);

}  // namespace jitune::internal
