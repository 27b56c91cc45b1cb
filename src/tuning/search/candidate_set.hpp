// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "jitune/error.hpp"
#include "space/restriction.hpp"
#include "space/search_space.hpp"

namespace jitune::internal {

/// The configurations that a search asks its strategy for: a space, or the part of it that
/// SearchPlan::only leaves. Configurations are known by their index in the space.
class CandidateSet {
public:
    /// `space` must outlive it. Throws Error(usage) as restricted_space() does.
    CandidateSet(const SearchSpace& space, const std::vector<std::string>& only) : space_(space) {
        if (!only.empty()) {
            SearchSpace part = restricted_space(space, only);
            part_ = part.size() < space.size() ? std::optional(std::move(part)) : std::nullopt;
        }
    }

    /// The space that the strategy works on, with indexes of its own.
    [[nodiscard]] const SearchSpace& part() const { return part_ ? *part_ : space_; }
    [[nodiscard]] bool is_whole() const { return !part_; }

    /// The index in the space of a configuration's text; the space's size if the space does not
    /// hold it.
    [[nodiscard]] std::size_t find_in_space(const std::string& configuration) const {
        try {
            return space_.find(Configuration::parse(configuration, space_.parameters()));
        } catch (const Error&) {  // one of another template, or no configuration at all
            return space_.size();
        }
    }

    /// The index in the space of the configuration at `index` of part().
    [[nodiscard]] std::size_t in_space(std::size_t index) const {
        return part_ ? space_.find(part_->at(index)) : index;
    }

    /// The index in part() of the configuration at `index` of the space; part().size() if the part
    /// does not hold it.
    [[nodiscard]] std::size_t in_part(std::size_t index) const {
        return part_ ? part_->find(space_.at(index)) : index;
    }

    /// True if part() holds the configuration at `index` of the space.
    [[nodiscard]] bool holds(std::size_t index) const { return in_part(index) < part().size(); }

private:
    const SearchSpace& space_;
    std::optional<SearchSpace> part_;  ///< none: all of the space
};

}  // namespace jitune::internal
