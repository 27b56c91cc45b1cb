// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/exit_code.hpp"
#include "cli/output.hpp"
#include "cli/units.hpp"

namespace jitune::internal {

namespace {

/// A database that is not there yet has a path but no state.
Json path_json(const Options& options) {
    if (options.database.empty() || !std::filesystem::exists(options.database)) {
        return {{"path", options.database.empty() ? Json() : Json(options.database.string())},
                {"exists", false}};
    }
    // As an app opens it, which is what decides the journal mode.
    const TuningStore::Status status =
        open_database(options, TuningStore::Access::as_permitted)->status();
    return {{"path", status.path},
            {"exists", true},
            {"bytes", status.bytes},
            {"journal_mode", status.journal_mode},
            {"journal_reason", status.journal_reason},
            {"schema_version", status.schema_version},
            {"sqlite_version", status.sqlite_version}};
}

std::string path_text(const Json& path) {
    if (path["path"].is_null()) {
        return "none: winners are kept in memory only\n";
    }
    const std::string name = path["path"].get<std::string>();
    if (!path["exists"].get<bool>()) {
        return fmt::format("{}\nnot there yet: the first winner makes it\n", name);
    }
    return fmt::format(
        "{}\n{}, schema {}, SQLite {}, journal mode {}: {}\n", name,
        bytes_text(path["bytes"].get<std::int64_t>()), path["schema_version"].get<std::int64_t>(),
        path["sqlite_version"].get<std::string>(), path["journal_mode"].get<std::string>(),
        path["journal_reason"].get<std::string>());
}

int run(const CommonArguments& arguments) {
    const Json path = path_json(arguments.options());
    if (arguments.json) {
        print_json(path);
    } else {
        print(path_text(path));
    }
    return kExitOk;
}

}  // namespace

Action add_db_path(CLI::App& app) {
    auto arguments = std::make_shared<CommonArguments>();
    arguments->add_database(app);
    arguments->add_log(app);
    arguments->add_json(app);
    return [arguments] { return run(*arguments); };
}

}  // namespace jitune::internal
