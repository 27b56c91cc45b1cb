// SPDX-License-Identifier: Apache-2.0
#include "families/compiled/compiled_kernels.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace jitune::internal {

namespace {

/// As the images are compiled for: see CMakeLists.txt.
bool runs_here() {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
           __builtin_cpu_supports("bmi2") != 0;
#else
    return true;
#endif
}

/// The same string for each call, so that a device loads it once. Never destroyed: threads may be
/// calling while the process exits.
std::shared_ptr<const std::string> bytes_of(const CompiledImage& image) {
    static auto& mutex = *new std::mutex;
    static auto& known = *new std::map<const CompiledImage*, std::shared_ptr<const std::string>>;
    const std::lock_guard lock(mutex);
    auto& bytes = known[&image];
    if (bytes == nullptr) {
        bytes = std::make_shared<const std::string>(image.bytes);
    }
    return bytes;
}

}  // namespace

std::optional<Binary> compiled_kernel(const DeviceInfo& device, const Instance& instance) {
    static const bool kRunsHere = runs_here();
    if (device.platform != PlatformKind::host || !kRunsHere || instance.expressions.size() != 1) {
        return std::nullopt;
    }
    for (const CompiledImage& image : compiled_images) {
        const auto found = std::find_if(image.entries.begin(), image.entries.end(),
                                        [&](const CompiledEntry& entry) {
                                            return entry.expression == instance.expressions.front();
                                        });
        if (found != image.entries.end()) {
            return Binary{"so", bytes_of(image), {found->symbol}};
        }
    }
    return std::nullopt;
}

}  // namespace jitune::internal
