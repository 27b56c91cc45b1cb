// SPDX-License-Identifier: Apache-2.0
#include "tuning/search/candidate_set.hpp"

#include <utility>

#include "jitune/error.hpp"
#include "space/restriction.hpp"

namespace jitune::internal {

CandidateSet::CandidateSet(const SearchSpace& space, const std::vector<std::string>& only)
    : space_(space) {
    if (only.empty()) {
        return;
    }
    SearchSpace part = restricted_space(space, only);
    if (part.size() < space.size()) {
        part_ = std::move(part);
    }
}

std::size_t CandidateSet::find_in_space(const std::string& configuration) const {
    try {
        return space_.find(Configuration::parse(configuration, space_.parameters()));
    } catch (const Error&) {  // a configuration of another template, or no configuration at all
        return space_.size();
    }
}

}  // namespace jitune::internal
