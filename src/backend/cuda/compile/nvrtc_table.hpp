// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nvrtc.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

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

/// NVRTC, as functions. Tests put others in their place.
struct NvrtcTable {
// NOLINTNEXTLINE(bugprone-macro-parentheses): the macro declares the name that it is given
#define JITUNE_DECLARE(function) decltype(&::function) function = nullptr;
    JITUNE_NVRTC_FUNCTIONS(JITUNE_DECLARE)
#undef JITUNE_DECLARE
};

/// toolkit_files() of NVRTC.
std::vector<std::string> nvrtc_files(const std::filesystem::path& cuda_path,
                                     const std::filesystem::path& own_file);

/// Loads NVRTC for the life of the process: about 100 ms. If JITUNE_NVRTC is set, loads only the
/// library that it names. Throws Error(unavailable) that says where it looked and what to do.
std::shared_ptr<const NvrtcTable> load_nvrtc();

}  // namespace jitune::internal
