// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backend/platform_kind.hpp"
#include "template/kernel_template.hpp"
#include "template/workload.hpp"

namespace jitune::internal {

/// One kernel of one backend: the template, and the workload that its candidates are tried on.
struct Kernel {
    KernelTemplate kernel_template;
    std::unique_ptr<const Workload> workload;
    /// The words from which a worker makes the same kernel, see Family::make_kernel. Empty: no
    /// worker can make it.
    std::vector<std::string> spec = {};
    bool foreign = false;  ///< holds code of a caller's, which may do anything
};

/// The built-in kernels of one template name, one for each platform that compiles code. Each is
/// parsed when it is first needed, and never destroyed: threads may still be calling while the
/// process exits. Thread-safe.
template <class Make>
class BuiltinKernel {
public:
    /// `make(platform)` gives the Kernel of a platform.
    explicit BuiltinKernel(Make make) : make_(std::move(make)) {}

    const Kernel& on(PlatformKind platform) {
        Slot& slot = slots_.at(static_cast<std::size_t>(platform));
        std::call_once(slot.once, [&] { slot.kernel = new Kernel(make_(platform)); });
        return *slot.kernel;
    }

private:
    struct Slot {
        std::once_flag once;
        const Kernel* kernel = nullptr;
    };
    Make make_;
    std::array<Slot, kPlatformKinds.size()> slots_;
};

/// The kernel of a family with one template for each platform, whose name is the family and the
/// platform's suffix. The spec has the family and the platform.
Kernel builtin_kernel(std::string_view family, PlatformKind platform,
                      std::unique_ptr<const Workload> workload);

/// The platform of such a spec. Throws Error(usage) for a malformed spec.
PlatformKind platform_of_spec(std::span<const std::string> spec);

}  // namespace jitune::internal
