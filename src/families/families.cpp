// SPDX-License-Identifier: Apache-2.0
#include "families/families.hpp"

#include <array>

#include "families/compiled/compiled_kernels.hpp"
#include "families/entropy/entropy_call.hpp"
#include "families/entropy/entropy_kernel.hpp"
#include "families/own/kernel_file.hpp"
#include "families/reduce/reduce_kernel.hpp"
#include "families/stencil/stencil_call.hpp"
#include "families/stencil/stencil_kernel.hpp"
#include "support/settings.hpp"
#include "template/problem.hpp"
#include "types/element_names.hpp"

namespace jitune::internal {

std::span<const Family> families() {
    static constexpr std::array kFamilies{
        Family{kReduceFamily, reduce_kernel_of, reduce_bytes, nullptr, compiled_kernel},
        Family{kStencilFamily, stencil_kernel_of, stencil_bytes, &kPlacedStencil},
        Family{kEntropyFamily, entropy_kernel_of, entropy_bytes, &kPlacedEntropy},
        Family{"file", kernel_file_of},
    };
    return kFamilies;
}

std::optional<double> launch_bytes(std::string_view kernel, std::string_view types,
                                   std::span<const std::int64_t> sizes) {
    const auto element = type_bytes(setting_of(types, "element"));
    if (!element) {
        return std::nullopt;
    }
    // A custom operation is "reduce:name".
    const NamedLaunch launch{kernel.substr(0, kernel.find(':')), types, sizes,
                             static_cast<double>(*element)};
    for (const Family& family : families()) {
        const auto bytes =
            family.launch_bytes == nullptr ? std::nullopt : family.launch_bytes(launch);
        if (bytes) {
            return *bytes > 0 ? bytes : std::nullopt;
        }
    }
    return std::nullopt;
}

std::optional<double> launch_bytes(const Problem& problem) {
    return launch_bytes(problem.kernel, types_text(problem), problem.sizes);
}

}  // namespace jitune::internal
