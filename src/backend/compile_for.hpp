// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backend/device.hpp"

namespace jitune::internal {

/// Compiles as Device::compile() does, for any device with these properties; needs no device.
using CompileFor = std::function<std::vector<CompileOutcome>(
    const DeviceInfo& device, const TemplateSource& source, std::span<const Instance> instances)>;

/// Names a compiler.
struct CompilerName {
    std::string version;  ///< Device::compiler()
    std::string key;      ///< Device::compiler_key()
};

/// A compiler that works in the calling process, where nothing can stop it.
struct OwnCompiler {
    CompilerName name;
    CompileFor compile;
};

/// Loads it. Throws Error(unavailable).
using MakeCompiler = OwnCompiler (*)();

/// A compiler that works in other processes. Thread-safe.
class RemoteCompiler {
public:
    virtual ~RemoteCompiler() = default;

    /// Compiles as Device::compile() does for a device with these properties. Nothing if no
    /// other process can: the caller's has to.
    virtual std::optional<std::vector<CompileOutcome>> compile(const DeviceInfo& device,
                                                               const TemplateSource& source,
                                                               std::span<const Instance> instances,
                                                               CompileCall& call) = 0;

    /// The compiler's name; nothing if no other process can compile.
    virtual std::optional<CompilerName> name() = 0;

    /// See Device::expect_compiles().
    virtual void expect(std::size_t threads) = 0;
};

}  // namespace jitune::internal
