// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "jitune/element_type.hpp"
#include "jitune/error.hpp"
#include "template/workload.hpp"

namespace jitune::internal {

/// Calls `use` with a value of the C++ type of an element type that stencils have. Throws
/// Error(usage) for another.
template <class Use>
auto visit_stencil_element(ElementType type, Use&& use) {
    switch (type) {
        case ElementType::int32:
            return use(std::int32_t{});
        case ElementType::float32:
            return use(float{});
        case ElementType::float64:
            return use(double{});
        default:
            throw Error(ErrorKind::usage, "a stencil takes int32, float32 and float64");
    }
}

/// Data for stencils whose every output is the same in any order of additions: floats and weights
/// are small integers, of which the sums are exact, so that the right bits are known. Sizes {n};
/// inputs the elements and the weights; types "element", "radius", "weighting" and "boundary". A
/// problem's alignment below 16 misaligns its input by one element. Stateless: safe from any
/// thread.
class StencilWorkload : public Workload {
public:
    [[nodiscard]] std::vector<Case> checks(const Problem& problem) const override;
    [[nodiscard]] Case timed(const Problem& problem) const override;
};

}  // namespace jitune::internal
