// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace jitune::internal {

/// The bytes of each parameter of the kernel with this symbol, in their order, as its section
/// .nv.info.<symbol> says. Nothing for an image that is no cubin, is damaged, or says nothing of
/// the kernel.
std::optional<std::vector<std::int64_t>> cubin_parameters(std::string_view image,
                                                          std::string_view symbol);

}  // namespace jitune::internal
