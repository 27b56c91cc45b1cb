// SPDX-License-Identifier: Apache-2.0
#include "cli/app/common_options.hpp"

#include "backend/platform_kind.hpp"
#include "cli/formats/table.hpp"
#include "dispatch/session_options.hpp"
#include "spread/machine.hpp"
#include "strategy/strategy.hpp"
#include "support/log.hpp"
#include "tuning/isolation/worker_command.hpp"

namespace jitune::internal {

namespace {

/// Passes the argument of `option` to `use`, unless it is empty. Errors name the option.
template <class Use>
void apply(const char* option, const std::string& argument, Use use) {
    if (argument.empty()) {
        return;
    }
    try {
        use(argument);
    } catch (const Error& error) {
        throw Error(error.kind(), fmt::format("{}: {}", option, error.what()));
    }
}

void refuse_unnamed(const Options& options) {
    if (options.database.empty()) {
        throw Error(ErrorKind::usage, "no database is named: name one with --db or JITUNE_DB");
    }
}

void refuse_missing(const Options& options) {
    refuse_unnamed(options);
    std::error_code error;
    if (!std::filesystem::exists(options.database, error) && !error) {
        throw Error(
            ErrorKind::store,
            fmt::format("no database at \"{}\" yet: jitune sweep reduce creates it, and so do "
                        "an app's calls",
                        options.database.string()));
    }
}

}  // namespace

Option CommonArguments::database_option() {
    return {"--db", &database,
            "Path of the tuning database; none: keep winners in memory [JITUNE_DB, else in "
            "~/.cache/jitune]"};
}

Option CommonArguments::log_option() {
    return {"--log",
            &log,
            "Log level: off, error, warning, info or debug [JITUNE_LOG, else warning]",
            {.choices = {"off", "error", "warning", "info", "debug"}}};
}

std::vector<Option> CommonArguments::usual_options() {
    return {database_option(), log_option(), json_option()};
}

Option CommonArguments::json_option() {
    return {"--json", &json, "Print one JSON document instead of text"};
}

Option CommonArguments::verbose_option() {
    return {"--verbose", &verbose, "Print whole tables, wider than the terminal, with all details"};
}

std::size_t CommonArguments::table_width() const {
    return verbose ? kWhole : output_columns();
}

Option CommonArguments::tune_option(TunePolicy usual) {
    usual_policy = usual;
    return {"--tune",
            &tune,
            fmt::format("If no winner is stored: tune in the background, wait for a tuning now, "
                        "take the nearest winner, or take the template's default: background, now, "
                        "offline or default [JITUNE_TUNE, else {}]",
                        usual == TunePolicy::now ? "now" : "background"),
            {.choices = {"background", "now", "offline", "default"}}};
}

Option CommonArguments::budget_option(std::string help) {
    return {"--budget", &budget, std::move(help)};
}

Option CommonArguments::hang_limit_option() {
    return {"--hang-limit", &hang_limit,
            "Seconds before the check or timing of a candidate counts as hung [JITUNE_HANG_LIMIT, "
            "else 60]"};
}

Option CommonArguments::isolation_option() {
    return {"--no-isolation", &no_isolation,
            "Tune in this process, for debuggers; a candidate that crashes ends it"};
}

std::vector<std::string> gpu_choices() {
    std::vector<std::string> choices;
    for (const PlatformKind kind : kPlatformKinds) {
        if (runs_on_gpu(kind)) {
            choices.emplace_back(to_string(kind));
            choices.push_back(choices.back() + ":0");
        }
    }
    return choices;
}

Option device_option(std::string* target, std::string help) {
    std::vector<std::string> choices = gpu_choices();
    choices.insert(choices.begin(), std::string(to_string(PlatformKind::host)));
    return {"--device", target, std::move(help), {.choices = std::move(choices)}};
}

std::vector<std::string> strategy_names() {
    std::vector<std::string> names;
    for (const StrategyEntry& row : strategies()) {
        names.emplace_back(row.name);
    }
    return names;
}

Option strategy_option(std::string* target, std::string help) {
    return {"--strategy", target, std::move(help), {.choices = strategy_names()}};
}

void append(std::vector<Option>& options, const std::vector<Option>& more) {
    options.insert(options.end(), more.begin(), more.end());
}

Options CommonArguments::options() const {
    Options options = read_environment(usual_policy);
    if (no_isolation) {
        options.worker = kNoWorker;
    } else if (options.worker.empty() || options.worker == kNoWorker) {
        options.worker = "/proc/self/exe";
    }
    apply("--db", database,
          [&](const std::string& path) { options.database = database_named(path); });
    apply("--log", log,
          [&](const std::string& word) { options.log_level = parse_log_level(word); });
    apply("--tune", tune,
          [&](const std::string& word) { options.on_miss = parse_tune_policy(word); });
    apply("--budget", budget,
          [&](const std::string& word) { options.budget = parse_budget(word); });
    apply("--hang-limit", hang_limit,
          [&](const std::string& word) { options.hang_limit = parse_limit(word); });
    if (database.empty()) {
        warn_without_folder(options);
    }
    if (no_isolation) {
        Log(options.log_level, options.log_sink)
            .warning("candidates run in this process: one that crashes ends it");
    }
    return options;
}

std::unique_ptr<TuningStore> open_database(const Options& options, TuningStore::Access access) {
    refuse_missing(options);
    return TuningStore::open(options.database, access, Log(options.log_level, options.log_sink));
}

std::unique_ptr<TuningStore> change_database(const Options& options) {
    refuse_missing(options);
    return change_or_make_database(options);
}

std::unique_ptr<TuningStore> change_or_make_database(const Options& options) {
    refuse_unnamed(options);
    refuse_frozen(options);
    return TuningStore::open(options.database, TuningStore::Access::read_write,
                             Log(options.log_level, options.log_sink));
}

void refuse_unwritable(const Options& options) {
    refuse_frozen(options);
    if (!options.database.empty()) {
        change_or_make_database(options);
    }
}

void refuse_auto(const std::string& device) {
    if (device == "auto") {
        throw Error(ErrorKind::usage,
                    "--device auto: that is a word of Options::device alone. Leave --device out "
                    "for the first GPU, or the host if there is none; the fastest place of "
                    "arrays in host memory is called machine here");
    }
}

Device& chosen_device(Engine& engine, const std::string& device) {
    refuse_auto(device);
    return device.empty() ? engine.first_device() : engine.device(device);
}

Device& chosen_place(Engine& engine, const std::string& device) {
    return runs_placements(device) ? device_of(engine, device) : chosen_device(engine, device);
}

}  // namespace jitune::internal
