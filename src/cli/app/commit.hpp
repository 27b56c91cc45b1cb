// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace jitune::internal {

/// The commit that this program was built from, as git abbreviates it; "unknown" outside a clone.
extern const char* const kCommit;

}  // namespace jitune::internal
