// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <set>
#include <vector>

#include "cli/app/command.hpp"
#include "cli/app/common_options.hpp"
#include "cli/app/exit_code.hpp"
#include "cli/app/output.hpp"
#include "cli/db/coverage_report.hpp"
#include "cli/db/winner_filter.hpp"
#include "support/hash.hpp"

namespace jitune::internal::db_coverage_command {

namespace {

struct Arguments : CommonArguments {
    WinnerFilter filter;
};

std::size_t binaries_of(TuningStore& store, const Coverage& coverage) {
    std::set<Digest> binaries;
    for (const Winner* const row : coverage.winners) {
        if (const auto winner = store.with_image(*row)) {
            binaries.insert(
                Hasher("binary").text(winner->image_format).text(winner->image).digest());
        }
    }
    return binaries.size();
}

int run(const Arguments& arguments) {
    const Options options = arguments.options();
    const auto store = open_database(options);
    const std::vector<Winner> winners =
        arguments.filter.of(store->winners(), Log(options.log_level, options.log_sink));
    Json keys = Json::array();
    std::string text;
    for (const Coverage& coverage : coverage_of(winners)) {
        const std::size_t binaries = binaries_of(*store, coverage);
        keys.push_back(coverage_report_json(coverage, binaries));
        text += (text.empty() ? "" : "\n") + coverage_report(coverage, binaries);
    }
    if (arguments.json) {
        print_json({{"path", options.database.string()}, {"keys", keys}});
    } else {
        print(text);
    }
    return kExitOk;
}

}  // namespace

Invocation invocation() {
    auto arguments = std::make_shared<Arguments>();
    std::vector<Option> options = arguments->filter.options();
    append(options,
           {arguments->database_option(), arguments->log_option(), arguments->json_option()});
    return {std::move(options), [arguments] { return run(*arguments); }};
}

}  // namespace jitune::internal::db_coverage_command
