// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "backend/cuda/compile/nvrtc_table.hpp"
#include "backend/device.hpp"

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

/// One program of NVRTC's: name expressions are added, it is compiled once, then read. Everything
/// that fails for NVRTC's own reasons throws Error(unavailable).
class NvrtcProgram {
public:
    NvrtcProgram(const NvrtcTable& nvrtc, const TemplateSource& source);

    void add(const std::string& expression);
    nvrtcResult compile(const NvrtcTarget& target);

    [[nodiscard]] std::string log() const;
    /// The compiled image. PTX includes the NUL that ends it.
    [[nodiscard]] std::string image(bool cubin) const;
    /// The symbol of an added expression; empty if it names no kernel.
    [[nodiscard]] std::string lowered(const std::string& expression) const;

private:
    using GetSize = nvrtcResult (*)(nvrtcProgram, std::size_t*);
    using GetText = nvrtcResult (*)(nvrtcProgram, char*);
    [[nodiscard]] std::string read(const char* call, GetSize size, GetText text) const;

    /// The handle is a member of its own, so that a constructor that throws still destroys it.
    struct Handle {
        explicit Handle(const NvrtcTable& table) : nvrtc(table) {}
        ~Handle() {
            if (program != nullptr) {
                nvrtc.nvrtcDestroyProgram(&program);
            }
        }
        Handle(const Handle&) = delete;
        Handle& operator=(const Handle&) = delete;

        const NvrtcTable& nvrtc;
        nvrtcProgram program = nullptr;
    };

    const NvrtcTable& nvrtc_;
    Handle handle_;
};

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
/// NVRTC knows if that is older than the device. See Device::compile. Thread-safe; needs neither
/// device nor context. Throws Error(unavailable) if NVRTC supports nothing the device can run.
std::vector<CompileOutcome> compile_instances(const NvrtcTable& nvrtc, const TemplateSource& source,
                                              std::span<const Instance> instances,
                                              int compute_capability);

}  // namespace jitune::internal
