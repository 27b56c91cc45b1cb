#include "ops/placed_operations.hpp"

#include <array>

#include "ops/placed_entropy.hpp"
#include "ops/placed_stencil.hpp"

namespace jitune {

std::span<const PlacedOperation> placed_operations() {
    static constexpr std::array kOperations{
        PlacedOperation{"entropy", load_placed_entropy, placed_entropy_kernel},
        PlacedOperation{"stencil", load_placed_stencil, placed_stencil_kernel},
    };
    return kOperations;
}

}  // namespace jitune
