// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "dispatch/engine.hpp"
#include "jitune/session.hpp"

namespace jitune::internal {

/// What jitune's own code may do with a Session and apps may not.
struct SessionAccess {
    [[nodiscard]] static Engine& engine(const Session& session) { return *session.engine_; }

    /// A session over an engine that is not null.
    [[nodiscard]] static std::unique_ptr<Session> make(std::unique_ptr<Engine> engine) {
        return std::unique_ptr<Session>(new Session(std::move(engine)));
    }
};

}  // namespace jitune::internal
