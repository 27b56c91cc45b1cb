// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
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

/// Loads it. It may keep precompiled headers in `folder`, which is the calling process's alone and
/// removed by others; empty: it keeps none, and is thread-safe. Throws Error(unavailable).
using MakeCompiler = OwnCompiler (*)(const std::filesystem::path& folder);

/// A compiler that works in other processes. Thread-safe.
class RemoteCompiler {
public:
    virtual ~RemoteCompiler() = default;

    /// Compiles as Device::compile() does for a device with these properties. Returns nothing if no
    /// other process can compile: then the caller's process has to.
    virtual std::optional<std::vector<CompileOutcome>> compile(const DeviceInfo& device,
                                                               const TemplateSource& source,
                                                               std::span<const Instance> instances,
                                                               CompileCall& call) = 0;

    /// The compiler's name; nothing if no other process can compile.
    virtual std::optional<CompilerName> name() = 0;

    /// See Device::expect_compiles().
    virtual void expect(std::size_t threads) = 0;
};

/// The outcomes of several instances that were compiled as one program.
struct CompiledTogether {
    std::vector<CompileOutcome> outcomes;
    bool ended_by_itself = true;  ///< the compiler was not killed at a limit
};

/// Compiles all instances as one program; those that fail, each by itself, so that one bad instance
/// costs only itself. The compiler does not see an instance of which `flaw_of` says something.
std::vector<CompileOutcome> compile_together(
    std::span<const Instance> instances, std::string (*flaw_of)(const Instance&),
    const std::function<CompiledTogether(std::span<const Instance>)>& compile);

/// One program as a person compiles it by hand, in a folder with its headers in include/.
struct CompileRecipe {
    std::string file;    ///< "kernel.cu": the name for `text`
    std::string text;    ///< what jitune's compiler gets, to the byte, with what another one needs
    std::string binary;  ///< "kernel.cubin": what `command` makes
    std::vector<std::string> command;  ///< a program and its arguments
    std::vector<std::string> notes;    ///< remarks for the reader, a line each
    /// A profiler's command, to put before the command that runs the program's kernels.
    std::vector<std::string> profiler;
};

/// The recipe for a source, which has its defines, and one instance, which has none. The device
/// need not be there. Throws Error(unavailable) if there is no compiler.
using MakeRecipe = CompileRecipe (*)(const DeviceInfo& device, const TemplateSource& source,
                                     const Instance& instance);

/// Words for a shell, each in quotes if it needs them.
std::string shell_text(const std::vector<std::string>& words);

}  // namespace jitune::internal
