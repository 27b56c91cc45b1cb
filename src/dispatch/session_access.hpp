// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "dispatch/engine.hpp"
#include "jitune/session.hpp"

namespace jitune::internal {

/// Access to a Session's engine for jitune's own code; apps have none.
struct SessionAccess {
    [[nodiscard]] static Engine& engine(const Session& session) { return *session.engine_; }

    /// A session over an engine that is not null.
    [[nodiscard]] static std::unique_ptr<Session> make(std::unique_ptr<Engine> engine) {
        return std::unique_ptr<Session>(new Session(std::move(engine)));
    }
};

/// For the handler `catch (...)` of a public function: throws Error(unavailable) in the place of
/// std::bad_alloc and std::system_error, else what was caught.
[[noreturn]] void throw_as_error();

}  // namespace jitune::internal
