// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "c/error.hpp"
#include "c/handles.hpp"
#include "dispatch/session_options.hpp"

using namespace jitune;
using namespace jitune::internal;

static_assert(static_cast<int>(LogLevel::off) == JITUNE_LOG_OFF);
static_assert(static_cast<int>(LogLevel::debug) == JITUNE_LOG_DEBUG);

namespace {

using Json = nlohmann::ordered_json;

/// Texts of drivers need not be UTF-8.
char* new_json(const Json& document) {
    return new_text(document.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace

jitune_status jitune_options_create(jitune_options** options) {
    return guarded([&] {
        refuse_null(options, "jitune_options_create: options");
        *options = new jitune_options{Options::from_environment()};
    });
}

void jitune_options_destroy(jitune_options* options) {
    delete options;
}

jitune_status jitune_options_set(jitune_options* options, const char* name, const char* value) {
    return guarded([&] {
        refuse_null(options, "jitune_options_set: options");
        refuse_null(name, "jitune_options_set: name");
        refuse_null(value, "jitune_options_set: value");
        set_option(options->options, name, value);
    });
}

jitune_status jitune_options_set_log_sink(jitune_options* options, jitune_log_sink sink,
                                          void* user) {
    return guarded([&] {
        refuse_null(options, "jitune_options_set_log_sink: options");
        if (sink == nullptr) {
            options->options.log_sink = nullptr;
            return;
        }
        options->options.log_sink = [sink, user](LogLevel level, std::string_view message) {
            sink(static_cast<jitune_log_level>(level), std::string(message).c_str(), user);
        };
    });
}

jitune_status jitune_session_create(const jitune_options* options, jitune_session** session) {
    return guarded([&] {
        refuse_null(session, "jitune_session_create: session");
        *session = new jitune_session{std::make_unique<Session>(
            options == nullptr ? Options::from_environment() : options->options)};
    });
}

void jitune_session_destroy(jitune_session* session) {
    delete session;
}

jitune_status jitune_session_counters(jitune_session* session, char** json) {
    return guarded([&] {
        refuse_null(json, "jitune_session_counters: json");
        const Counters counters = session_of(session).counters();
        *json = new_json(Json{{"compiles", counters.compiles},
                              {"tunings", counters.tunings},
                              {"loads", counters.loads},
                              {"store_errors", counters.store_errors},
                              {"unserved", counters.unserved},
                              {"pending", counters.pending},
                              {"replaced", counters.replaced},
                              {"sampled", counters.sampled},
                              {"doubted", counters.doubted},
                              {"raced", counters.raced},
                              {"pauses", counters.pauses},
                              {"longest_pause", counters.longest_pause.count()},
                              {"longest_pause_of", counters.longest_pause_of}});
    });
}

jitune_status jitune_session_devices(jitune_session* session, char** json) {
    return guarded([&] {
        refuse_null(json, "jitune_session_devices: json");
        Json devices = Json::array();
        for (const DeviceDescription& device : session_of(session).devices()) {
            devices.push_back({{"id", device.id},
                               {"name", device.name},
                               {"device_class", device.device_class},
                               {"driver", device.driver},
                               {"missing", device.missing}});
        }
        *json = new_json(devices);
    });
}

jitune_status jitune_session_table_digest(jitune_session* session, char** digest) {
    return guarded([&] {
        refuse_null(digest, "jitune_session_table_digest: digest");
        *digest = new_text(session_of(session).table_digest());
    });
}
