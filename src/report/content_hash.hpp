// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "support/embedded.hpp"

namespace jitune::internal {

/// "sha256-…" as a Content-Security-Policy names a style or script by its text.
std::string content_hash(const embedded::File& file);

}  // namespace jitune::internal
