// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fake/fake_cuda.hpp"

namespace jitune::internal {

/// Does what launches of stencil.cu, entropy.cu and reduce.cu do, by their references, and tells
/// the fake what memory they touch. Stencils are plain sums; reductions need one launch. Refuses
/// what is no such launch.
CUresult run_family(FakeCuda& fake, const FakeLaunch& launch);

}  // namespace jitune::internal
