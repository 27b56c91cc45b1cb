// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "jitune/options.hpp"
#include "tuner_db/tuning_store.hpp"

namespace jitune::internal {

/// The arguments that most commands have, as they were written.
struct CommonArguments {
    std::string database;
    std::string log;
    std::string tune;
    std::string budget;
    bool json = false;

    void add_database(CLI::App& app);
    void add_log(CLI::App& app);
    void add_json(CLI::App& app);

    /// The environment's options with the arguments applied; the worker is this very program unless
    /// the environment names another. Throws Error(usage).
    [[nodiscard]] Options options() const;
};

/// Of --evaluations. As a plain number CLI11 takes -1 for 2^64 - 1.
inline const CLI::Range kEvaluations(std::size_t{0}, std::size_t{1'000'000'000});

/// The database of `options`, which must be there. Throws Error(usage) where the options name none
/// and Error(store) where there is no such file or it cannot be used.
std::unique_ptr<TuningStore> open_database(
    const Options& options, TuningStore::Access access = TuningStore::Access::read_only);

}  // namespace jitune::internal
