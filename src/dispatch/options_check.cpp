// SPDX-License-Identifier: Apache-2.0
#include "dispatch/options_check.hpp"

#include <chrono>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "dispatch/device_id.hpp"
#include "jitune/error.hpp"
#include "strategy/strategy.hpp"
#include "support/log.hpp"
#include "tuning/isolation/worker_command.hpp"

namespace jitune::internal {

namespace {

using std::chrono::milliseconds;

// Sums of times must not overflow.
constexpr milliseconds kLongest{10'000'000'000};

[[noreturn]] void refuse(std::string_view member, const std::string& why) {
    throw Error(ErrorKind::usage, fmt::format("Options::{} is {}", member, why));
}

void check_time(std::string_view member, milliseconds time, milliseconds shortest,
                std::string_view zero) {
    if (time < shortest || time > kLongest) {
        refuse(member, fmt::format("{} ms: give {} to {} ms{}", time.count(), shortest.count(),
                                   kLongest.count(), zero));
    }
}

}  // namespace

std::filesystem::path database_named(const std::filesystem::path& given) {
    return given == "none" ? std::filesystem::path() : given;
}

Options checked(Options options) {
    check_time("budget", options.budget, milliseconds(0), ", where 0 is no limit");
    check_time("hang_limit", options.hang_limit, milliseconds(1), "");
    check_time("compile_limit", options.compile_limit, milliseconds(1), "");
    if (options.on_miss < TunePolicy::background ||
        options.on_miss > TunePolicy::template_default) {
        refuse("on_miss",
               fmt::format("{}: use TunePolicy::background, now, offline or template_default",
                           static_cast<int>(options.on_miss)));
    }
    if (options.record < Record::nothing || options.record > Record::all) {
        refuse("record", fmt::format("{}: use Record::nothing, misses or all",
                                     static_cast<int>(options.record)));
    }
    if (options.log_level < LogLevel::off || options.log_level > LogLevel::debug) {
        refuse("log_level", fmt::format("{}: use LogLevel::off, error, warning, info or debug",
                                        static_cast<int>(options.log_level)));
    }
    if (options.device != "auto") {
        try {
            parse_device_id(options.device);
        } catch (const Error& error) {
            throw Error(error.kind(),
                        fmt::format("Options::device: {}, or auto for the fastest place of data in "
                                    "host memory",
                                    error.what()));
        }
    }
    if (options.frozen) {
        options.on_miss = TunePolicy::template_default;
        options.record = Record::nothing;
    }
    strategy_named(options.strategy);
    options.database = database_named(options.database);
    options.worker = named_worker(options.worker);
    return options;
}

void refuse_frozen(const Options& options) {
    if (options.frozen) {
        throw Error(ErrorKind::usage,
                    "cannot tune or change the database: the session is frozen (JITUNE_FROZEN=1 or "
                    "Options::frozen) and serves the stored winners alone; unset that first");
    }
}

void refuse_sink() {
    if (Log::is_in_sink()) {
        throw Error(
            ErrorKind::usage,
            "Options::log_sink called jitune, which waits there for the end of the message: "
            "have the sink hand its messages to another thread");
    }
}

}  // namespace jitune::internal
