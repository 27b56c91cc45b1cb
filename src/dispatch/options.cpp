// SPDX-License-Identifier: Apache-2.0
#include "jitune/options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "dispatch/options_check.hpp"
#include "dispatch/read_environment.hpp"
#include "dispatch/thrown_error.hpp"
#include "jitune/error.hpp"
#include "support/log.hpp"
#include "tuning/isolation/worker_command.hpp"

namespace jitune::internal {

namespace {

/// `what` is done with 1.
bool parse_switch(std::string_view word, const char* what) {
    if (word != "0" && word != "1") {
        throw Error(ErrorKind::usage, fmt::format("\"{}\" is neither 1, to {}, nor 0", word, what));
    }
    return word == "1";
}

double parse_share(std::string_view word) {
    double share = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), share);
    if (error != std::errc() || end != word.data() + word.size() ||
        !(share >= 0 && share <= kMostExploreShare)) {
        throw Error(ErrorKind::usage,
                    fmt::format("\"{}\" is not a share of device time to explore in: give 0 to {}, "
                                "as in 0.01",
                                word, kMostExploreShare));
    }
    return share;
}

/// nullptr, too, in a program that runs with more rights than its caller.
const char* variable(const char* name) {
    return secure_getenv(name);
}

}  // namespace

Options read_environment(TunePolicy usual) {
    Options options;
    options.on_miss = usual;
    options.worker = named_worker({});
    const auto apply = [](const char* name, auto&& use) {
        const char* value = variable(name);
        if (value == nullptr || *value == '\0') {
            return;
        }
        try {
            use(std::string_view(value));
        } catch (const Error& error) {
            throw Error(error.kind(), fmt::format("{}: {}", name, error.what()));
        }
    };
    apply("JITUNE_DB", [&](std::string_view value) { options.database = database_named(value); });
    apply("JITUNE_TUNE",
          [&](std::string_view value) { options.on_miss = parse_tune_policy(value); });
    apply("JITUNE_TUNE_BUSY", [&](std::string_view value) {
        options.tune_on_busy_gpu = parse_switch(value, "tune on GPUs that are busy");
    });
    apply("JITUNE_WATCH", [&](std::string_view value) {
        options.watch_winners = parse_switch(value, "time a few calls of stored winners");
    });
    apply("JITUNE_EXPLORE",
          [&](std::string_view value) { options.explore_share = parse_share(value); });
    apply("JITUNE_RECORD", [&](std::string_view value) { options.record = parse_record(value); });
    apply("JITUNE_FROZEN", [&](std::string_view value) {
        options.frozen = parse_switch(value, "serve the stored winners alone");
    });
    apply("JITUNE_BUDGET", [&](std::string_view value) { options.budget = parse_budget(value); });
    apply("JITUNE_HANG_LIMIT",
          [&](std::string_view value) { options.hang_limit = parse_limit(value); });
    apply("JITUNE_LOG",
          [&](std::string_view value) { options.log_level = parse_log_level(value); });
    return options;
}

std::chrono::milliseconds parse_limit(std::string_view word) {
    try {
        if (const auto limit = parse_budget(word); limit.count() > 0) {
            return limit;
        }
    } catch (const Error&) {  // it speaks of a budget
    }
    throw Error(ErrorKind::usage,
                fmt::format("\"{}\" is not a time limit: give seconds above 0, as in 60", word));
}

void warn_without_folder(const Options& options) {
    const char* const named = variable("JITUNE_DB");
    if (options.database.empty() && (named == nullptr || *named == '\0')) {
        Log(options.log_level, options.log_sink)
            .warning(
                "neither XDG_CACHE_HOME nor HOME is set, so that winners are kept in memory only: "
                "name a database with JITUNE_DB, or none");
    }
}

}  // namespace jitune::internal

JITUNE_BEGIN_NAMESPACE
using namespace internal;

namespace {

template <class Value>
struct Word {
    std::string_view word;
    Value value;
};
constexpr std::array kPolicyWords{
    Word<TunePolicy>{"background", TunePolicy::background},
    Word<TunePolicy>{"now", TunePolicy::now},
    Word<TunePolicy>{"offline", TunePolicy::offline},
    Word<TunePolicy>{"default", TunePolicy::template_default},
};
constexpr std::array kRecordWords{
    Word<Record>{"nothing", Record::nothing},
    Word<Record>{"misses", Record::misses},
    Word<Record>{"all", Record::all},
};
constexpr std::array kLevels{LogLevel::off, LogLevel::error, LogLevel::warning, LogLevel::info,
                             LogLevel::debug};

/// Throws Error(usage) for another word: `refusal` has a place for it.
template <class Value, std::size_t N>
Value value_of(const std::array<Word<Value>, N>& words, std::string_view word,
               fmt::format_string<std::string_view&> refusal) {
    const auto found = std::find_if(words.begin(), words.end(),
                                    [&](const Word<Value>& one) { return one.word == word; });
    if (found == words.end()) {
        throw Error(ErrorKind::usage, fmt::format(refusal, word));
    }
    return found->value;
}

}  // namespace

TunePolicy parse_tune_policy(std::string_view word) {
    return value_of(kPolicyWords, word,
                    "\"{}\" is not a tuning policy: use background, now, offline or default");
}

Record parse_record(std::string_view word) {
    return value_of(kRecordWords, word,
                    "\"{}\" does not say what to record of calls: use nothing, misses or all");
}

LogLevel parse_log_level(std::string_view word) {
    for (const LogLevel level : kLevels) {
        if (internal::to_string(level) == word) {
            return level;
        }
    }
    throw Error(
        ErrorKind::usage,
        fmt::format("\"{}\" is not a log level: use off, error, warning, info or debug", word));
}

std::chrono::milliseconds parse_budget(std::string_view word) {
    constexpr double kMostSeconds = 1e7;
    double seconds = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), seconds);
    if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(seconds) ||
        seconds < 0 || seconds > kMostSeconds) {
        throw Error(ErrorKind::usage,
                    fmt::format("\"{}\" is not a budget: give seconds, as in 2 or 0.5", word));
    }
    // A tiny budget stays a limit: zero would mean no limit.
    const std::chrono::milliseconds rounded(std::llround(seconds * 1000));
    return seconds > 0 ? std::max(rounded, std::chrono::milliseconds(1)) : rounded;
}

Options Options::from_environment() try {
    Options options = read_environment(TunePolicy::background);
    warn_without_folder(options);
    return options;
} catch (...) {
    throw_as_error();
}

std::filesystem::path Options::default_database() {
    for (const auto& [name, below] :
         {std::pair{"XDG_CACHE_HOME", ""}, std::pair{"HOME", ".cache"}}) {
        // The XDG specification says to ignore relative paths.
        if (const char* base = variable(name); base != nullptr && *base == '/') {
            return std::filesystem::path(base) / below / "jitune" / "tuning.db";
        }
    }
    return {};
}

JITUNE_END_NAMESPACE
