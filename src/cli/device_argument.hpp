// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "dispatch/engine.hpp"

namespace jitune::internal {

// The argument --device, which is empty where it is left out.

/// Throws Error(usage) for "auto", which is a value of Options::device alone: it says what to name.
void refuse_auto(const std::string& device);

/// The device of that id; the first GPU, or the host where there is none, where it is left out.
/// Throws as refuse_auto() and Engine::device().
Device& chosen_device(Engine& engine, const std::string& device);

/// As chosen_device(), with "machine" for the placement of arrays in host memory.
Device& chosen_place(Engine& engine, const std::string& device);

}  // namespace jitune::internal
