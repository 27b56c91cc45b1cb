// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "fake/fake_cuda.hpp"
#include "jitune/element_type.hpp"

namespace jitune::internal {

/// Does what a launch of reduce.cu's kernels does: the hook of a FakeCuda. Sums of int32 and
/// float32 go block by block through partial results and the ticket, as the kernels do; other
/// reductions of one launch are answered by their reference. Refuses other kernels.
CUresult run_reduce(const FakeLaunch& launch);

/// The element type that the kernels spell `text`: "float". Throws for another text.
ElementType reduce_element(const std::string& text);

}  // namespace jitune::internal
