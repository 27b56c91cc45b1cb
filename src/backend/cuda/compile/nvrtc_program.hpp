// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "backend/cuda/compile/nvrtc_table.hpp"
#include "backend/cuda/compile/nvrtc_target.hpp"
#include "backend/device.hpp"

namespace jitune::internal {

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

}  // namespace jitune::internal
