// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "families/formula/own_operations.hpp"
#include "jitune/jitune.h"
#include "jitune/map_reduce.hpp"
#include "jitune/reduce.hpp"
#include "jitune/session.hpp"
#include "jitune/tuned_kernel.hpp"

// What is behind the opaque types of jitune/jitune.h.

struct jitune_options {
    jitune::Options options;
};

struct jitune_session {
    std::unique_ptr<jitune::Session> session;
};

struct jitune_kernel {
    jitune::TunedKernel kernel;
};

struct jitune_formula {
    jitune::MapReduce formula;
    std::string text;
    jitune::internal::OwnOperations operations;
    std::vector<std::string> inputs;   ///< the names that it reads
    std::vector<std::string> results;  ///< the names of what it gives
};

struct jitune_prepared {
    std::variant<jitune::detail::PreparedCall, jitune::PreparedKernel> call;
    /// Of a reduction; those of others have no offsets.
    jitune::detail::ReduceShape::Kind shape = jitune::detail::ReduceShape::Kind::all;
};

namespace jitune::internal {

/// The standard session for null. Throws as Session::standard() does.
inline Session& session_of(jitune_session* session) {
    return session == nullptr ? Session::standard() : *session->session;
}

}  // namespace jitune::internal
