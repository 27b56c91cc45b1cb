// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "backend/compile_for.hpp"
#include "backend/device.hpp"

namespace jitune::internal {

/// The options of every compile for the host, both while jitune is built and at run time. `cpu`: as
/// in -march=; empty: any of the architecture.
std::vector<std::string> host_options(std::string_view cpu);

/// HostCompiler::key() of the compiler that would be found now. Starts no process. Throws
/// Error(unavailable) if there is none.
std::string host_compiler_key();

/// The longest that one call of the compiler may usually last.
inline constexpr std::chrono::seconds kCompileTime{30};

/// The system's C++ compiler. Immutable; thread-safe.
class HostCompiler {
public:
    /// $JITUNE_CXX (a program's name or path, without arguments) if it is set, else the first of
    /// $CXX, c++, g++ and clang++ that is found. One call of the compiler may last `timeout`.
    /// Throws Error(unavailable) if there is none or it does not run, and CompileStopped.
    explicit HostCompiler(std::chrono::milliseconds timeout = kCompileTime,
                          const std::stop_token& stop = {});

    /// The first line of `c++ --version`.
    [[nodiscard]] const std::string& version() const { return version_; }

    /// The compiler's path, the options that it is given, and the present stamp of its file; behind
    /// a wrapper such as ccache, that of the wrapper.
    [[nodiscard]] std::string key() const;

    /// The program and arguments that make `image` of the file `unit`. A template's own `options`
    /// come last: so they win, and the linker takes from their libraries what the file needs.
    [[nodiscard]] std::vector<std::string> command(const TemplateSource& source,
                                                   const std::vector<std::string>& options,
                                                   const std::string& unit,
                                                   const std::string& image) const;

    /// See Device::compile.
    [[nodiscard]] std::vector<CompileOutcome> compile(const TemplateSource& source,
                                                      std::span<const Instance> instances,
                                                      const std::stop_token& stop = {}) const;

private:
    [[nodiscard]] CompiledTogether compile_once(const TemplateSource& source,
                                                std::span<const Instance> instances,
                                                const std::stop_token& stop) const;

    std::chrono::milliseconds timeout_;
    std::filesystem::path program_;
    std::string version_;
};

}  // namespace jitune::internal
