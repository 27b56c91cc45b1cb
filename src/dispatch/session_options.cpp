// SPDX-License-Identifier: Apache-2.0
#include "dispatch/session_options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "strategy/strategy.hpp"
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

std::uint64_t parse_seed(std::string_view word) {
    std::uint64_t seed = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), seed);
    if (error != std::errc() || end != word.data() + word.size()) {
        throw Error(ErrorKind::usage,
                    fmt::format("\"{}\" is not a seed: give an integer from 0 to 2^64 - 1", word));
    }
    return seed;
}

/// nullptr, too, in a program that runs with more rights than its caller.
const char* variable(const char* name) {
    return secure_getenv(name);
}

std::string parse_text(std::string_view word) {
    return std::string(word);
}

/// An option that a text can set.
struct OptionRow {
    std::string_view name;  ///< of the member
    const char* variable;   ///< of the environment; nullptr: none
    void (*set)(Options&, std::string_view);
};

template <auto member, auto parse>
void set(Options& options, std::string_view word) {
    options.*member = parse(word);
}

constexpr std::array kOptions{
    OptionRow{"database", "JITUNE_DB", set<&Options::database, database_named>},
    OptionRow{"on_miss", "JITUNE_TUNE", set<&Options::on_miss, parse_tune_policy>},
    OptionRow{"tune_on_busy_gpu", "JITUNE_TUNE_BUSY",
              [](Options& options, std::string_view word) {
                  options.tune_on_busy_gpu = parse_switch(word, "tune on GPUs that are busy");
              }},
    OptionRow{"watch_winners", "JITUNE_WATCH",
              [](Options& options, std::string_view word) {
                  options.watch_winners = parse_switch(word, "time a few calls of stored winners");
              }},
    OptionRow{"record", "JITUNE_RECORD", set<&Options::record, parse_record>},
    OptionRow{"frozen", "JITUNE_FROZEN",
              [](Options& options, std::string_view word) {
                  options.frozen = parse_switch(word, "serve the stored winners alone");
              }},
    OptionRow{"budget", "JITUNE_BUDGET", set<&Options::budget, parse_budget>},
    OptionRow{"hang_limit", "JITUNE_HANG_LIMIT", set<&Options::hang_limit, parse_limit>},
    OptionRow{"compile_limit", nullptr, set<&Options::compile_limit, parse_limit>},
    OptionRow{"device", nullptr, set<&Options::device, parse_text>},
    OptionRow{"strategy", nullptr, set<&Options::strategy, parse_text>},
    OptionRow{"seed", nullptr, set<&Options::seed, parse_seed>},
    OptionRow{"worker", nullptr, set<&Options::worker, named_worker>},
    OptionRow{"log_level", "JITUNE_LOG", set<&Options::log_level, parse_log_level>},
};

// Sums of times must not overflow.
constexpr std::chrono::milliseconds kLongest{10'000'000'000};

[[noreturn]] void refuse(std::string_view member, const std::string& why) {
    throw Error(ErrorKind::usage, fmt::format("Options::{} is {}", member, why));
}

void check_time(std::string_view member, std::chrono::milliseconds time,
                std::chrono::milliseconds shortest, std::string_view zero) {
    if (time < shortest || time > kLongest) {
        refuse(member, fmt::format("{} ms: give {} to {} ms{}", time.count(), shortest.count(),
                                   kLongest.count(), zero));
    }
}

void check_enumerator(std::string_view member, int value, int last, std::string_view known) {
    if (value < 0 || value > last) {
        refuse(member, fmt::format("{}: use {}", value, known));
    }
}

}  // namespace

Options read_environment(TunePolicy usual) {
    Options options;
    options.on_miss = usual;
    options.worker = named_worker({});
    for (const OptionRow& row : kOptions) {
        const char* const value = row.variable == nullptr ? nullptr : variable(row.variable);
        if (value == nullptr || *value == '\0') {
            continue;
        }
        try {
            row.set(options, value);
        } catch (const Error& error) {
            throw Error(error.kind(), fmt::format("{}: {}", row.variable, error.what()));
        }
    }
    return options;
}

void set_option(Options& options, std::string_view name, std::string_view value) {
    const auto row = std::find_if(kOptions.begin(), kOptions.end(),
                                  [&](const OptionRow& one) { return one.name == name; });
    if (row == kOptions.end()) {
        std::string names;
        for (const OptionRow& one : kOptions) {
            names += fmt::format("{}{}", names.empty() ? "" : ", ", one.name);
        }
        throw Error(ErrorKind::usage,
                    fmt::format("there is no option \"{}\"; there are {}", name, names));
    }
    try {
        Options changed = options;
        row->set(changed, value);
        checked(changed);
        options = std::move(changed);
    } catch (const Error& error) {
        throw Error(error.kind(), fmt::format("option {}: {}", name, error.what()));
    }
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

std::filesystem::path database_named(const std::filesystem::path& given) {
    return given == "none" ? std::filesystem::path() : given;
}

Options checked(Options options) {
    check_time("budget", options.budget, std::chrono::milliseconds(0), ", where 0 is no limit");
    check_time("hang_limit", options.hang_limit, std::chrono::milliseconds(1), "");
    check_time("compile_limit", options.compile_limit, std::chrono::milliseconds(1), "");
    check_enumerator("on_miss", static_cast<int>(options.on_miss),
                     static_cast<int>(TunePolicy::template_default),
                     "TunePolicy::background, now, offline or template_default");
    check_enumerator("record", static_cast<int>(options.record), static_cast<int>(Record::all),
                     "Record::nothing, misses or all");
    check_enumerator("log_level", static_cast<int>(options.log_level),
                     static_cast<int>(LogLevel::debug),
                     "LogLevel::off, error, warning, info or debug");
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

DeviceId parse_device_id(std::string_view text) {
    const std::size_t colon = std::min(text.find(':'), text.size());
    const auto platform = platform_from(text.substr(0, colon));
    int ordinal = 0;
    if (colon < text.size()) {
        const std::string_view digits = text.substr(colon + 1);
        const char* const digits_end = digits.data() + digits.size();
        const auto [end, error] = std::from_chars(digits.data(), digits_end, ordinal);
        if (error != std::errc() || end != digits_end) {
            ordinal = -1;
        }
    }
    if (!platform || runs_placements(*platform) || ordinal < 0) {
        throw Error(ErrorKind::usage,
                    fmt::format("unknown device \"{}\": use host, cuda or cuda:N", text));
    }
    return {*platform, ordinal};
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
