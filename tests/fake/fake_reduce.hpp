// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fake/fake_cuda.hpp"

namespace jitune::internal {

/// Does what a launch of reduce.cu's kernels does, for sums of int32 and float32: the hook of a
/// FakeCuda. Blocks run one after the other; of the work memory only the partials and the ticket
/// are used. Refuses what is no such launch.
CUresult run_reduce(const FakeLaunch& launch);

}  // namespace jitune::internal
