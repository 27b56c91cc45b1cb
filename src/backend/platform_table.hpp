// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include "backend/platform.hpp"

namespace jitune::internal {

struct PlatformEntry {
    PlatformKind kind;
    std::unique_ptr<Platform> (*make)(const Log& log);
};

/// Every platform this build has, the preferred first. Making one never throws: a platform without
/// devices says why in missing().
std::span<const PlatformEntry> platforms();

}  // namespace jitune::internal
