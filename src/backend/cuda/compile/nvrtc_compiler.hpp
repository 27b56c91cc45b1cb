// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "backend/cuda/compile/nvrtc_table.hpp"
#include "backend/cuda/compile/nvrtc_target.hpp"
#include "backend/device.hpp"

namespace jitune::internal {

/// "NVRTC 13.0"
std::string nvrtc_version(const NvrtcTable& nvrtc);

/// The file of NVRTC with its stamp, what JITUNE_NVRTC says, and the version of jitune, whose
/// options NVRTC is given.
std::string nvrtc_key(const NvrtcTable& nvrtc);

/// True if the file of this nvrtc_key() has not changed and JITUNE_NVRTC says the same. Does not
/// load NVRTC, because that takes longer than a compile; so it does not notice if another file
/// would be loaded now.
bool is_present_nvrtc(const std::string& key);

/// The target and the options that compile_instances() gives to NVRTC for this source. Throws
/// Error(unavailable) as compile_instances() does.
NvrtcTarget nvrtc_target_of(const NvrtcTable& nvrtc, const TemplateSource& source,
                            const std::vector<std::string>& options, int compute_capability);

/// Compiles for `compute_capability` (90): to a cubin, or to PTX of the newest architecture that
/// NVRTC knows where it is older than the device. See Device::compile. Thread-safe; needs neither
/// device nor context. Throws Error(unavailable) if NVRTC supports nothing the device can run.
std::vector<CompileOutcome> compile_instances(const NvrtcTable& nvrtc, const TemplateSource& source,
                                              std::span<const Instance> instances,
                                              int compute_capability);

}  // namespace jitune::internal
