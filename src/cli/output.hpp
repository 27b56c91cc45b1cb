// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "cli/json.hpp"

namespace jitune::internal {

/// The reader of standard output went away: stop, with nothing to say.
struct OutputClosed {};

/// Writes to standard output and flushes. Throws OutputClosed when nobody reads it any more (with
/// SIGPIPE caught), and Error(usage) when it cannot be written otherwise.
void print(std::string_view text);

/// To standard error; what cannot be written there is lost.
void print_error(std::string_view text);

/// One document, indented by two.
void print_json(const Json& document);

}  // namespace jitune::internal
