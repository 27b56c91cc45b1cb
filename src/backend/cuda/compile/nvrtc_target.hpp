// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backend/cuda/compile/nvrtc_table.hpp"

namespace jitune::internal {

/// The architecture and format that NVRTC compiles for.
struct NvrtcTarget {
    bool cubin = true;  ///< else PTX
    std::vector<std::string> options;

    /// Adds a template's options; its language standard takes the place of jitune's.
    void add(const std::vector<std::string>& more);
};

/// For source that is_plain() or not, and includes headers of these folders. Throws
/// Error(unavailable) if this NVRTC makes nothing that a device of `compute_capability` can run.
NvrtcTarget nvrtc_target(const NvrtcTable& nvrtc, int compute_capability, bool plain,
                         const std::vector<std::string>& folders);

/// Throws Error(unavailable) "<tried>: <call>: NVRTC_ERROR_…" unless `result` is NVRTC_SUCCESS: for
/// calls that fail for NVRTC's own reasons, never for the source's.
void check(const NvrtcTable& nvrtc, nvrtcResult result, const char* call, const char* tried);

}  // namespace jitune::internal
