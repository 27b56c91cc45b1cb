// SPDX-License-Identifier: Apache-2.0
#include "jitune/session.hpp"

#include "dispatch/engine.hpp"
#include "dispatch/session_access.hpp"
#include "families/families.hpp"
#include "support/process_end.hpp"

JITUNE_BEGIN_NAMESPACE
using namespace internal;

Session::Session(const Options& options) try
    : engine_(std::make_unique<Engine>(options, families())) {
} catch (...) {
    throw_as_error();
}

Session::Session(std::unique_ptr<Engine> engine) : engine_(std::move(engine)) {}

Session::~Session() = default;

Session& Session::standard() {
    static Session* const session = [] {
        auto* const made = new Session();
        process_end::call([] { standard().engine_->finish(); });
        return made;
    }();
    return *session;
}

Counters Session::counters() const try { return engine_->counters(); } catch (...) {
    throw_as_error();
}

std::string Session::table_digest() const try { return engine_->table_digest(); } catch (...) {
    throw_as_error();
}

std::vector<DeviceDescription> Session::devices() try { return engine_->devices(); } catch (...) {
    throw_as_error();
}

JITUNE_END_NAMESPACE
