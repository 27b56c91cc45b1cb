// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace jitune::bench {

/// Of the CUB that is compared with: "3.0.1".
std::string cub_version();

}  // namespace jitune::bench
