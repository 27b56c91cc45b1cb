// SPDX-License-Identifier: Apache-2.0
#include "families/stencil/stencil_kernel.hpp"

#include <fmt/format.h>

#include "families/stencil/stencil_workload.hpp"
#include "jitune/error.hpp"
#include "template/kernel.hpp"
#include "template/template_headers.hpp"

namespace jitune::internal {

namespace {

Kernel made_for(PlatformKind platform) {
    return {KernelTemplate(builtin_template(fmt::format("stencil{}", template_suffix(platform)))),
            std::make_unique<StencilWorkload>(),
            {std::string(kStencilFamily), std::string(to_string(platform))}};
}

}  // namespace

const Kernel& stencil_kernel(PlatformKind platform) {
    static auto& kernels = *new BuiltinKernel(&made_for);
    return kernels.on(platform);
}

Kernel stencil_kernel_of(std::span<const std::string> spec) {
    const auto platform = spec.size() == 2 ? platform_from(spec[1]) : std::nullopt;
    if (!platform) {
        throw Error(
            ErrorKind::usage,
            "cannot build a stencil kernel: malformed worker spec; is the worker of another "
            "version of jitune?");
    }
    return made_for(*platform);
}

}  // namespace jitune::internal
