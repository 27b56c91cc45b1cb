// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include "backend/compile_for.hpp"
#include "backend/kernel_inspector.hpp"
#include "backend/platform.hpp"

namespace jitune::internal {

struct PlatformEntry {
    PlatformKind kind;
    /// The compiler, if any, is that of make_compiler.
    std::unique_ptr<Platform> (*make)(const Log& log, std::shared_ptr<RemoteCompiler> compiler);
    MakeCompiler make_compiler;    ///< null if the compiler is a program of its own
    MakeInspector make_inspector;  ///< null if the platform has no inspector of compiled code
    MakeRecipe make_recipe;
};

/// Every platform this build has, the preferred first. Making one never throws: a platform without
/// devices says why in missing().
std::span<const PlatformEntry> platforms();

/// The entry of a kind, in which all is null where this build does not have it.
const PlatformEntry& platform_entry(PlatformKind kind);

/// The platform of a kind, without a compiler of another process; null where this build does not
/// have it.
std::unique_ptr<Platform> make_platform(PlatformKind kind, const Log& log);

}  // namespace jitune::internal
