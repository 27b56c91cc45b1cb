// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "backend/device.hpp"

namespace jitune::internal {

/// Compiles as Device::compile() does, for any device with these properties; needs no device.
using CompileFor = std::function<std::vector<CompileOutcome>(
    const DeviceInfo& device, const TemplateSource& source, std::span<const Instance> instances)>;

/// Loads a compiler that works in the calling process. Throws Error(unavailable).
using MakeCompiler = CompileFor (*)();

}  // namespace jitune::internal
