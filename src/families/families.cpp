// SPDX-License-Identifier: Apache-2.0
#include "families/families.hpp"

#include <array>

#include "families/compiled/compiled_kernels.hpp"
#include "families/entropy/entropy_kernel.hpp"
#include "families/entropy/entropy_bands.hpp"
#include "families/own/kernel_file.hpp"
#include "families/reduce/reduce_kernel.hpp"
#include "families/stencil/stencil_bands.hpp"
#include "families/stencil/stencil_kernel.hpp"

namespace jitune::internal {

std::span<const Family> families() {
    static constexpr std::array kFamilies{
        Family{kReduceFamily, reduce_kernel_of, nullptr, compiled_kernel},
        Family{kStencilFamily, stencil_kernel_of, &kPlacedStencil},
        Family{kEntropyFamily, entropy_kernel_of, &kPlacedEntropy},
        Family{"file", kernel_file_of},
    };
    return kFamilies;
}

}  // namespace jitune::internal
