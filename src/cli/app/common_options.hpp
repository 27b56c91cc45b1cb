// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/app/command.hpp"
#include "jitune/options.hpp"
#include "tuner_db/tuning_store.hpp"

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

/// Opens the database of `options` to read it; Access::as_permitted also migrates an older one.
/// Throws Error(usage) where the options name no database and Error(store) where there is no such
/// file or it cannot be used.
std::unique_ptr<TuningStore> open_database(
    const Options& options, TuningStore::Access access = TuningStore::Access::read_only);

/// As open_database(), to change the database. Throws Error(usage) also if the session is frozen.
std::unique_ptr<TuningStore> change_database(const Options& options);

/// As change_database(), and makes the file if it is missing.
std::unique_ptr<TuningStore> change_or_make_database(const Options& options);

/// Throws Error(store) where winners cannot be written to the database of `options`. Apps go on
/// without one, but a command that tunes must not begin where it cannot keep what it finds. Throws
/// Error(usage) where the options forbid to tune.
void refuse_unwritable(const Options& options);

}  // namespace jitune::internal
