// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "backend/platform_kind.hpp"
#include "tuner_db/winners/record.hpp"

namespace jitune::internal {

/// One way in which a candidate behaves, and what jitune must say of it.
struct Behaviour {
    std::string_view name;
    /// Statements of the kernel, after it has summed and before it writes `total` to `*result`.
    /// They see `values`, `n`, `result`, `total` and the number of `calls` so far.
    std::string_view code;
    /// Nothing: any verdict but `timed`.
    std::optional<Verdict> verdict = Verdict::timed;
    std::string_view reason = "";  ///< part of the verdict's reason
    /// Takes seconds of waiting, for its limit or for the compiler.
    bool slow = false;
    /// Runs when the code is loaded.
    bool at_load = false;
    /// So rarely seen that the candidate may be timed; it must not win.
    bool rare = false;
};

/// The behaviours of candidates on a platform; the first is "good". Their names differ.
std::span<const Behaviour> zoo(PlatformKind platform);

/// The row of a name. Throws Error(usage).
const Behaviour& behaviour_of(PlatformKind platform, std::string_view name);

}  // namespace jitune::internal
