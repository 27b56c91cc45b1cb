// SPDX-License-Identifier: Apache-2.0
#include "reduce_compare/cub_version.hpp"

#include <cub/version.cuh>

namespace jitune::bench {

std::string cub_version() {
    return std::to_string(CUB_MAJOR_VERSION) + "." + std::to_string(CUB_MINOR_VERSION) + "." +
           std::to_string(CUB_SUBMINOR_VERSION);
}

}  // namespace jitune::bench
