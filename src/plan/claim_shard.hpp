// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "plan/problem_state.hpp"
#include "plan/shared_folder.hpp"

namespace jitune::internal {

/// A folder with a part of a plan's problems. They are so few that listing the folder costs little.
/// It holds each problem once, under the name of its state, and never one more or less.
class ClaimShard {
public:
    explicit ClaimShard(SharedFolder folder) : folder_(std::move(folder)) {}

    /// The shard of that name in `claims`. If there is none, makes it with `ranks` waiting. It is
    /// made whole in `part` and then renamed, so that only one of several tasks makes it.
    static ClaimShard open_or_make(const SharedFolder& claims, const SharedFolder& part,
                                   const std::string& name, const std::string& task,
                                   const std::vector<std::size_t>& ranks);

    /// The problems, the first rank first. Other names are left out; if a problem has several
    /// names, which only another program can make, the name counts with which least is left to do.
    [[nodiscard]] std::vector<ProblemState> states() const;

    /// True if the problem is in the state `to` now, and nobody else has brought it there.
    [[nodiscard]] bool move(const ProblemState& from, const ProblemState& to) const {
        return folder_.rename(from.name(), to.name());
    }

    [[nodiscard]] const SharedFolder& folder() const { return folder_; }

private:
    SharedFolder folder_;
};

}  // namespace jitune::internal
