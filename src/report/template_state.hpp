// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "tuner_db/winners/record.hpp"

namespace jitune::internal {

/// Whether this build asks for rows of a template. `foreign`: the kernel is none of its own, so it
/// cannot know.
enum class TemplateState { current, stale, foreign };

TemplateState template_state(const RecordKey& key);

/// In words, for a table.
std::string_view to_string(TemplateState state);

}  // namespace jitune::internal
