// SPDX-License-Identifier: Apache-2.0
#include "report/template_state.hpp"

#include <string>

#include "template/template_headers.hpp"

namespace jitune::internal {

// A template's file is the kernel's name with an ending for its platform.
TemplateState template_state(const RecordKey& key) {
    TemplateState state = TemplateState::foreign;
    const auto& hashes = template_identities().hashes;
    const std::string prefix = key.kernel + '.';
    for (auto row = hashes.lower_bound(prefix);
         row != hashes.end() && row->first.starts_with(prefix); ++row) {
        if (row->second == key.template_hash) {
            return TemplateState::current;
        }
        state = TemplateState::stale;
    }
    return state;
}

std::string_view to_string(TemplateState state) {
    switch (state) {
        case TemplateState::current:
            return "current";
        case TemplateState::stale:
            return "stale: this build has another template";
        case TemplateState::foreign:
            break;
    }
    return "a kernel of your own, or of another build";
}

}  // namespace jitune::internal
