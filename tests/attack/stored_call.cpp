// SPDX-License-Identifier: Apache-2.0
// An app that reduces an array with a session over the database that its argument names. It ends
// with 0 if the answer is right, 1 if it is wrong, 3 after an Error of jitune, and 2 after any
// other exception, which jitune must not throw. What the app itself allocates may fail: then it
// ends with 0.

#include <jitune/reduce.hpp>

#include <cstdio>
#include <exception>
#include <optional>

namespace {

float values[1024];

std::optional<jitune::Options> options_for(const char* database) {
    try {
        jitune::Options options;
        options.database = database;
        options.log_level = jitune::LogLevel::off;
        return options;
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

}  // namespace

int main(int count, char** arguments) {
    const auto options = count == 2 ? options_for(arguments[1]) : std::nullopt;
    if (!options) {
        return count == 2 ? 0 : 2;
    }
    for (float& value : values) {
        value = 1;
    }
    try {
        jitune::Session session(*options);
        for (int call = 0; call < 2; ++call) {
            if (jitune::tuned_reduce(values, {}, session) != 1024) {
                return 1;
            }
        }
        return 0;
    } catch (const jitune::Error&) {
        return 3;
    } catch (const std::exception& error) {
        std::fputs(error.what(), stderr);
        return 2;
    }
}
