// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "tuner_db/winners/record.hpp"

namespace jitune::internal {

/// 32 hexadecimal digits over what winners serve: kernel, types, alignment, template hash, device
/// class, the sizes that are served, configuration and whether it is unsure. The order of the
/// winners does not count, nor how their sizes are cut into rows and boxes, nor any other column.
std::string table_digest(std::span<const Winner> winners);

}  // namespace jitune::internal
