// SPDX-License-Identifier: Apache-2.0
#include "families/compiled/compiled_kernels.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace jitune::internal {

namespace {

/// True if this CPU has the instructions that the images are compiled for: see CMakeLists.txt.
bool runs_here() {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
           __builtin_cpu_supports("bmi2") != 0;
#else
    return true;
#endif
}

/// A GPU runs code of its own major architecture, up to its own minor one.
bool runs_on(const DeviceInfo& device, const CompiledImage& image) {
    if (runs_on_cpu(device.platform)) {
        static const bool kRunsHere = runs_here();
        return image.compute_capability == 0 && kRunsHere;
    }
    const auto found = device.attributes.find("compute_capability");
    return found != device.attributes.end() &&
           found->second / 10 == image.compute_capability / 10 &&
           found->second >= image.compute_capability;
}

std::string lines_of(const std::vector<std::string>& texts) {
    std::string lines;
    for (const std::string& text : texts) {
        lines += text + '\n';
    }
    return lines;
}

std::vector<std::string> texts_of(std::string_view lines) {
    std::vector<std::string> texts;
    for (std::size_t end = 0; (end = lines.find('\n')) != std::string_view::npos;
         lines.remove_prefix(end + 1)) {
        texts.emplace_back(lines.substr(0, end));
    }
    return texts;
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

std::optional<Binary> find_compiled(CompiledImages images, const DeviceInfo& device,
                                    const Instance& instance) {
    const std::string expressions = lines_of(instance.expressions);
    for (const auto* list : images) {
        for (const CompiledImage& image : *list) {
            if (!runs_on(device, image)) {
                continue;
            }
            const auto found = std::find_if(
                image.entries.begin(), image.entries.end(),
                [&](const CompiledEntry& entry) { return entry.expressions == expressions; });
            if (found != image.entries.end()) {
                const bool on_host = image.compute_capability == 0;
                return Binary{on_host ? "so" : "cubin", bytes_of(image), texts_of(found->symbols)};
            }
        }
    }
    return std::nullopt;
}

std::optional<Binary> compiled_kernel(const DeviceInfo& device, const Instance& instance) {
    return find_compiled(compiled_images, device, instance);
}

}  // namespace jitune::internal
