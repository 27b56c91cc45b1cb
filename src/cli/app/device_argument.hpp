// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "dispatch/engine.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {

// The argument --device, which is empty where it is left out.

/// Throws Error(usage) for "auto", which is a value of Options::device alone: it says what to name.
void refuse_auto(const std::string& device);

/// The device of that id. For an empty id, the first GPU, or the host if there is none. Throws as
/// refuse_auto() and Engine::device().
Device& chosen_device(Engine& engine, const std::string& device);

/// As chosen_device(), with "machine" for the placement of arrays in host memory.
Device& chosen_place(Engine& engine, const std::string& device);

/// Calls `find`, which looks for devices, and returns its result. Adds `advice`, which says what to
/// do without a device, to its Error(unavailable).
template <class Find>
auto with_advice(std::string_view advice, const Find& find) -> decltype(find()) {
    try {
        return find();
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::unavailable) {
            throw;
        }
        throw Error(error.kind(), fmt::format("{}; {}", error.what(), advice), error.native_code());
    }
}

}  // namespace jitune::internal
