// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <variant>

#include "jitune/entropy.hpp"
#include "jitune/jitune.h"
#include "jitune/reduce.hpp"
#include "jitune/session.hpp"
#include "jitune/stencil.hpp"
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

struct jitune_prepared {
    std::variant<jitune::detail::PreparedReduction, jitune::detail::PreparedStencilCall,
                 jitune::detail::PreparedEntropyCall, jitune::PreparedKernel>
        call;
    /// The offsets of a reduction; handles of other kernels have none.
    jitune::detail::ReduceShape::Kind shape = jitune::detail::ReduceShape::Kind::all;
};

namespace jitune::internal {

/// The standard session for null. Throws as Session::standard() does.
inline Session& session_of(jitune_session* session) {
    return session == nullptr ? Session::standard() : *session->session;
}

}  // namespace jitune::internal
