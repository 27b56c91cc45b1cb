// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backend/device.hpp"

namespace jitune::internal {

/// What has been compiled in this process, so that configurations that differ only in their launch
/// (and problems that differ only in their sizes) are compiled once. Thread-safe; no lock is held
/// while compiling, so two threads may compile the same instance: the first Binary is kept.
class BinaryCache {
public:
    /// The outcome for `instance` of the template with this hash on this device class, if known.
    std::optional<CompileOutcome> find(const std::string& template_hash,
                                       const std::string& device_class, const Instance& instance);

    /// Compiles on `backend` and remembers. One outcome per instance. Throws as Device::compile
    /// does.
    std::vector<CompileOutcome> compile(Device& device, const TemplateSource& source,
                                        const std::string& template_hash,
                                        std::span<const Instance> instances);

    /// Instances given to a compiler so far.
    [[nodiscard]] std::int64_t compiles() const { return compiles_; }

private:
    std::mutex mutex_;
    std::map<std::string, CompileOutcome> outcomes_;
    std::atomic<std::int64_t> compiles_{0};
};

}  // namespace jitune::internal
