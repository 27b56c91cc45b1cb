// SPDX-License-Identifier: Apache-2.0
// An app with commas in its numbers that reduces an array with a session of its environment, over
// the database that its argument names, if any. It ends with 0 if the answer is right, 1 if it is
// wrong, 3 after an Error of jitune, and 2 after any other exception, which jitune must not throw.
// What the app itself allocates may fail: then it ends with 0. With a second argument, so many
// threads still call when main returns.

#include <jitune/reduce.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <locale>
#include <optional>
#include <thread>

namespace {

float values[4096];

struct Commas : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
};

/// Nothing where the app has no memory for its own preparations.
std::optional<jitune::Options> prepare(const char* database) {
    try {
        if (std::getenv("FAIL_CALL") == nullptr) {  // libstdc++ frees it twice without memory
            std::locale::global(std::locale(std::locale::classic(), new Commas));
        }
        jitune::Options options = jitune::Options::from_environment();
        if (database != nullptr) {
            options.database = database;
        }
        if (std::getenv("JITUNE_TUNE") == nullptr) {
            options.on_miss = jitune::TunePolicy::now;
        }
        options.log_level = jitune::LogLevel::off;
        return options;
    } catch (const jitune::Error&) {
        throw;
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

int reduce(const char* database) {
    const std::optional<jitune::Options> options = prepare(database);
    if (!options) {
        return 0;
    }
    for (float& value : values) {
        value = 1;
    }
    jitune::Session session(*options);
    // After a fault, a tuning may wait for a later try.
    int turns_left = std::getenv("FAIL_CALL") == nullptr ? 2500 : 800;
    for (int call = 0; call < 2; ++call) {
        if (jitune::tuned_reduce(values, {}, session) != 4096) {
            return 1;
        }
        // The tuning may go on behind the calls, on a busy machine for many seconds.
        for (; turns_left > 0 && session.counters().pending > 0; --turns_left) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
    }
    return 0;
}

/// Returns while `threads` threads reduce with the standard session, each after another time.
int reduce_at_exit(int threads) {
    for (float& value : values) {
        value = 1;
    }
    for (int number = 0; number < threads; ++number) {
        std::thread([] {
            while (jitune::tuned_reduce(values) == 4096) {
            }
            std::_Exit(1);
        }).detach();
    }
    std::this_thread::sleep_for(std::chrono::steady_clock::now().time_since_epoch() %
                                std::chrono::milliseconds(10));
    return 0;
}

}  // namespace

int main(int count, char** arguments) {
    try {
        if (count == 3) {
            return reduce_at_exit(std::atoi(arguments[2]));
        }
        return reduce(count == 2 ? arguments[1] : nullptr);
    } catch (const jitune::Error& error) {
        std::fputs(error.what(), stderr);
        return 3;
    } catch (const std::exception& error) {
        std::fputs(error.what(), stderr);
        return 2;
    }
}
