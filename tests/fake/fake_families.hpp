// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fake/fake_cuda.hpp"

namespace jitune::internal {

/// Does what launches of stencil.cu and entropy.cu do, by their references, and of reduce.cu, as
/// run_reduce() does, and tells the fake which memory they touch. Stencils are plain sums. Refuses
/// other kernels.
CUresult run_family(FakeCuda& fake, const FakeLaunch& launch);

}  // namespace jitune::internal
