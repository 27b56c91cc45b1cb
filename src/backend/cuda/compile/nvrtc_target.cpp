// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/compile/nvrtc_target.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "jitune/error.hpp"

namespace jitune::internal {
namespace {

constexpr const char* kChooseTarget = "choose what NVRTC compiles for";

std::vector<int> supported_archs(const NvrtcTable& nvrtc) {
    int count = 0;
    check(nvrtc, nvrtc.nvrtcGetNumSupportedArchs(&count), "nvrtcGetNumSupportedArchs",
          kChooseTarget);
    std::vector<int> archs(static_cast<std::size_t>(std::max(count, 0)));
    check(nvrtc, nvrtc.nvrtcGetSupportedArchs(archs.data()), "nvrtcGetSupportedArchs",
          kChooseTarget);
    return archs;
}

/// The newest architecture that a device of `wanted` can run; 0 if there is none.
int best_arch(const std::vector<int>& archs, int wanted) {
    int best = 0;
    for (const int arch : archs) {
        best = arch <= wanted ? std::max(best, arch) : best;
    }
    return best;
}

}  // namespace

void check(const NvrtcTable& nvrtc, nvrtcResult result, const char* call, const char* tried) {
    if (result != NVRTC_SUCCESS) {
        throw Error(ErrorKind::unavailable,
                    fmt::format("{}: {}: {}", tried, call, nvrtc.nvrtcGetErrorString(result)),
                    {NativeCode::Source::nvrtc, static_cast<int>(result)});
    }
}

void NvrtcTarget::add(const std::vector<std::string>& more) {
    const auto is_standard = [](const std::string& option) {
        return option.starts_with("--std=") || option.starts_with("-std=");
    };
    if (std::any_of(more.begin(), more.end(), is_standard)) {
        std::erase_if(options, is_standard);
    }
    options.insert(options.end(), more.begin(), more.end());
}

NvrtcTarget nvrtc_target(const NvrtcTable& nvrtc, int compute_capability, bool plain,
                         const std::vector<std::string>& folders) {
    int major = 0;
    int minor = 0;
    check(nvrtc, nvrtc.nvrtcVersion(&major, &minor), "nvrtcVersion", kChooseTarget);
    const int arch = best_arch(supported_archs(nvrtc), compute_capability);
    if (arch == 0) {
        throw Error(ErrorKind::unavailable,
                    fmt::format("NVRTC {}.{} cannot compile for compute capability {}.{}: set "
                                "JITUNE_NVRTC to an older one",
                                major, minor, compute_capability / 10, compute_capability % 10));
    }
    NvrtcTarget target;
    target.cubin = arch == compute_capability;
    target.options = {
        fmt::format("--gpu-architecture={}_{}", target.cubin ? "sm" : "compute", arch),
        major >= 12 ? "--std=c++20" : "--std=c++17",
        "--device-as-default-execution-space",
    };
    if (plain && (major > 12 || (major == 12 && minor >= 4))) {
        target.options.emplace_back("--minimal");  // saves a third of a small program's time
    }
    for (const std::string& folder : folders) {
        target.options.push_back("--include-path=" + folder);
    }
    if (major >= 13 && folders.empty()) {  // their headers include those beside them
        target.options.emplace_back("--no-source-include");
    }
    return target;
}

}  // namespace jitune::internal
