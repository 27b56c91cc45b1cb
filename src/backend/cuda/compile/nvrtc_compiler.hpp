// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nvrtc.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backend/cuda/compile/toolkit_headers.hpp"
#include "backend/cuda/driver/function_table.hpp"
#include "backend/cuda/driver/toolkit_library.hpp"
#include "backend/device.hpp"

#define JITUNE_NVRTC_FUNCTIONS(X) \
    X(nvrtcVersion)               \
    X(nvrtcGetErrorString)        \
    X(nvrtcGetNumSupportedArchs)  \
    X(nvrtcGetSupportedArchs)     \
    X(nvrtcCreateProgram)         \
    X(nvrtcDestroyProgram)        \
    X(nvrtcAddNameExpression)     \
    X(nvrtcCompileProgram)        \
    X(nvrtcGetLoweredName)        \
    X(nvrtcGetProgramLogSize)     \
    X(nvrtcGetProgramLog)         \
    X(nvrtcGetCUBINSize)          \
    X(nvrtcGetCUBIN)              \
    X(nvrtcGetPTXSize)            \
    X(nvrtcGetPTX)

namespace jitune::internal {

/// NVRTC, as functions.
struct NvrtcTable {
    JITUNE_FUNCTION_TABLE(JITUNE_NVRTC_FUNCTIONS)
};

ToolkitLibrary nvrtc_library();

/// Loads NVRTC for the life of the process: about 100 ms. Only the library that JITUNE_NVRTC
/// names, where it is set. Throws Error(unavailable) that says where it looked and what to do.
std::shared_ptr<const NvrtcTable> load_nvrtc();

/// The architecture and format that NVRTC compiles for.
struct NvrtcTarget {
    bool cubin = true;  ///< else PTX
    std::vector<std::string> options;
};

/// True if it can keep precompiled headers: from 12.8 on.
bool keeps_headers(const NvrtcTable& nvrtc);

/// "NVRTC 13.0"
std::string nvrtc_version(const NvrtcTable& nvrtc);

/// The file of NVRTC with its stamp, what JITUNE_NVRTC says, and the version of jitune, whose
/// options NVRTC is given.
std::string nvrtc_key(const NvrtcTable& nvrtc);

/// True if the file of this nvrtc_key() has not changed and JITUNE_NVRTC says the same. Does not
/// load NVRTC, because that takes longer than a compile; so it does not notice if another file
/// would be loaded now.
bool is_present_nvrtc(const std::string& key);

/// The folders of the headers of the toolkit in CUDA_PATH, else of that which NVRTC belongs to.
std::vector<std::string> toolkit_folders(const NvrtcTable& nvrtc);

/// The target and the options that compile_instances() gives to NVRTC for this source. Throws
/// Error(unavailable) as compile_instances() does.
NvrtcTarget nvrtc_target_of(const NvrtcTable& nvrtc, const TemplateSource& source,
                            const std::vector<std::string>& options, int compute_capability);

/// Compiles for `compute_capability` (90): to a cubin, or to PTX of the newest architecture that
/// NVRTC knows if that is older than the device. Headers of the toolkit that the source begins with
/// come before the macros of its parameters, and stay precompiled in `kept`, if that is not null.
/// See Device::compile. Thread-safe but for `kept`; needs neither device nor context. Throws
/// Error(unavailable) if NVRTC supports nothing the device can run.
std::vector<CompileOutcome> compile_instances(const NvrtcTable& nvrtc, const TemplateSource& source,
                                              std::span<const Instance> instances,
                                              int compute_capability,
                                              PrecompiledHeaders* kept = nullptr);

}  // namespace jitune::internal
