// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <string_view>

#include "c/error.hpp"
#include "c/handles.hpp"
#include "dispatch/read_environment.hpp"

using namespace jitune;
using namespace jitune::internal;

static_assert(static_cast<int>(LogLevel::off) == JITUNE_LOG_OFF);
static_assert(static_cast<int>(LogLevel::debug) == JITUNE_LOG_DEBUG);

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
