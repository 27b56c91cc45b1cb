// SPDX-License-Identifier: Apache-2.0
#include "template/kernel.hpp"

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "template/template_headers.hpp"

namespace jitune::internal {

Kernel builtin_kernel(std::string_view family, PlatformKind platform,
                      std::unique_ptr<const Workload> workload) {
    const std::string name = fmt::format("{}{}", family, template_suffix(platform));
    return {KernelTemplate(builtin_template(name)),
            std::move(workload),
            {std::string(family), std::string(to_string(platform))}};
}

PlatformKind platform_of_spec(std::span<const std::string> spec) {
    const auto platform = spec.size() == 2 ? platform_from(spec[1]) : std::nullopt;
    if (!platform) {
        throw Error(ErrorKind::usage,
                    fmt::format("cannot build a kernel of the family \"{}\": malformed worker "
                                "spec; is the worker of another version of jitune?",
                                spec.empty() ? "" : spec[0]));
    }
    return *platform;
}

}  // namespace jitune::internal
