// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/app/command.hpp"
#include "cli/app/exit_code.hpp"
#include "cli/app/output.hpp"
#include "dispatch/engine.hpp"
#include "jitune/error.hpp"
#include "jitune/options.hpp"
#include "tuner_db/tuning_store.hpp"

/// Each command includes this header: it declares options, output and errors.
namespace jitune::internal {

/// The arguments that most commands have, as text.
struct CommonArguments {
    std::string database;
    std::string log;
    std::string tune;
    std::string budget;
    std::string hang_limit;
    bool no_isolation = false;
    bool json = false;
    bool verbose = false;
    TunePolicy usual_policy = TunePolicy::now;

    Option database_option();
    Option log_option();
    /// The options of most commands on a database: it, the log and --json.
    std::vector<Option> usual_options();
    Option json_option();
    Option verbose_option();
    /// The width of tables: that of standard output, or kWhole if whole tables were asked for.
    [[nodiscard]] std::size_t table_width() const;
    /// `usual` is the policy if neither the option nor the environment names one: `now` if somebody
    /// waits for the command, else that of apps.
    Option tune_option(TunePolicy usual);

    Option budget_option(std::string help);
    Option hang_limit_option();
    Option isolation_option();

    /// The environment's options with the arguments applied; the worker is this very program unless
    /// the environment names another. "none" in the environment is for apps: the command does
    /// without a worker only for --no-isolation, and says so. Throws Error(usage).
    [[nodiscard]] Options options() const;
};

/// The range of --evaluations.
inline constexpr std::pair<std::size_t, std::size_t> kEvaluations{0, 1'000'000'000};

/// The names of all search strategies.
std::vector<std::string> strategy_names();

/// The ids of GPUs that completions offer.
std::vector<std::string> gpu_choices();

/// --device and --strategy, whose values completions know.
Option device_option(std::string* target, std::string help);
Option strategy_option(std::string* target, std::string help);

/// Adds `more` at the end of `options`.
void append(std::vector<Option>& options, const std::vector<Option>& more);

/// A command that does `run` with arguments of its own, which its options fill.
template <class Arguments, class Run, class OptionsOf>
Invocation invocation_of(Run run, const OptionsOf& options_of) {
    auto arguments = std::make_shared<Arguments>();
    std::vector<Option> options = options_of(*arguments);
    return {std::move(options), [arguments, run] { return run(*arguments); }};
}

/// As above, with the usual options.
template <class Arguments, class Run>
Invocation invocation_of(Run run) {
    return invocation_of<Arguments>(run, [](Arguments& given) { return given.usual_options(); });
}

/// Opens the database of `options` to read it; Access::as_permitted also migrates an older one.
/// Throws Error(usage) if the options name no database and Error(store) if there is no such
/// file or it cannot be used.
std::unique_ptr<TuningStore> open_database(
    const Options& options, TuningStore::Access access = TuningStore::Access::read_only);

/// As open_database(), to change the database. Throws Error(usage) also if the session is frozen.
std::unique_ptr<TuningStore> change_database(const Options& options);

/// As change_database(), and makes the file if it is missing.
std::unique_ptr<TuningStore> change_or_make_database(const Options& options);

/// Throws Error(store) if winners cannot be written to the database of `options`. Apps go on
/// without one, but a command that tunes must not begin if it cannot keep what it finds. Throws
/// Error(usage) if the options forbid to tune.
void refuse_unwritable(const Options& options);

// The argument --device, which is empty if it is left out.

/// Values of --device if arrays in host memory can be placed, for the help.
inline constexpr const char* kPlacedDevices =
    "host, cuda, cuda:N, or machine: the CPU, the GPUs or all of them";

/// Throws Error(usage) for "auto", which is a value of Options::device alone: it says what to name.
void refuse_auto(const std::string& device);

/// The device of that id. For an empty id, the first GPU, or the host if there is none. Throws as
/// refuse_auto() and Engine::device().
Device& chosen_device(Engine& engine, const std::string& device);

/// As chosen_device(), with "machine" for the placement of arrays in host memory.
Device& chosen_place(Engine& engine, const std::string& device);

/// Calls `find`, which looks for devices, and returns its result. Adds `advice`, which says what to
/// do without a device, to its Error(unavailable).
template <class Find>
auto with_advice(std::string_view advice, const Find& find) -> decltype(find()) {
    try {
        return find();
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::unavailable) {
            throw;
        }
        throw Error(error.kind(), fmt::format("{}; {}", error.what(), advice), error.native_code());
    }
}

}  // namespace jitune::internal
