// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <fmt/format.h>

#include "cli/app/command.hpp"
#include "cli/app/common_options.hpp"
#include "cli/app/exit_code.hpp"
#include "cli/app/output.hpp"
#include "text/units.hpp"

namespace jitune::internal::db_path_command {

namespace {

bool exists(const Options& options) {
    return !options.database.empty() && std::filesystem::exists(options.database);
}

/// Opens the database as an app does, since that decides the journal mode.
TuningStore::Status status_of(const Options& options) {
    return open_database(options, TuningStore::Access::as_permitted)->status();
}

/// A database that does not exist yet has a path but no state.
Json path_json(const Options& options) {
    if (!exists(options)) {
        return {{"path", options.database.empty() ? Json() : Json(options.database.string())},
                {"exists", false}};
    }
    const TuningStore::Status status = status_of(options);
    return {{"path", status.path},
            {"exists", true},
            {"bytes", status.bytes},
            {"journal_mode", status.journal_mode},
            {"journal_reason", status.journal_reason},
            {"schema_version", status.schema_version},
            {"sqlite_version", status.sqlite_version}};
}

std::string path_text(const Options& options) {
    if (options.database.empty()) {
        return "none: winners are kept in memory only\n";
    }
    if (!exists(options)) {
        return fmt::format(
            "{}\nit does not exist yet; a sweep creates it, and so does an app's first call\n",
            options.database.string());
    }
    const TuningStore::Status status = status_of(options);
    return fmt::format("{}\n{}, schema {}, SQLite {}, journal mode {}: {}\n", status.path,
                       bytes_text(status.bytes), status.schema_version, status.sqlite_version,
                       status.journal_mode, status.journal_reason);
}

int run(const CommonArguments& arguments) {
    const Options options = arguments.options();
    if (arguments.json) {
        print_json(path_json(options));
    } else {
        print(path_text(options));
    }
    return kExitOk;
}

}  // namespace

Invocation invocation() {
    auto arguments = std::make_shared<CommonArguments>();
    return {{arguments->database_option(), arguments->log_option(), arguments->json_option()},
            [arguments] { return run(*arguments); }};
}

}  // namespace jitune::internal::db_path_command
