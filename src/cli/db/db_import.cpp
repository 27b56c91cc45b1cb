// SPDX-License-Identifier: Apache-2.0
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/app/command.hpp"
#include "cli/app/common_options.hpp"
#include "cli/app/exit_code.hpp"
#include "cli/app/output.hpp"
#include "cli/db/bundle.hpp"
#include "cli/db/export_file.hpp"
#include "cli/db/merge_text.hpp"
#include "jitune/error.hpp"
#include "text/units.hpp"

namespace jitune::internal::db_import_command {

namespace {

struct Arguments : CommonArguments {
    std::string file;
};

void import_measurements(const Options& options, const std::string& file) {
    const std::vector<Measurement> measurements = read_export(file);
    const auto store = change_or_make_database(options);
    const auto count = [&] {
        return measurements.empty()
                   ? 0
                   : measurements_to_export(*store, measurements.front().key).size();
    };
    const std::size_t before = count();
    store->save(measurements);
    const std::size_t added = count() - before;
    print(fmt::format("{} in {}, {} of them new in {}\n",
                      count_text(std::ssize(measurements), "measurement"), file, added,
                      options.database.string()));
}

int run(const Arguments& arguments) {
    const Options options = arguments.options();
    if (is_database_file(arguments.file)) {
        OtherDatabase bundle(arguments.file, Log(options.log_level, options.log_sink));
        const auto store = change_or_make_database(options);
        print(merge_text(arguments.file, store->merges().add(bundle.store().merges(), {}), false));
    } else {
        import_measurements(options, arguments.file);
    }
    return kExitOk;
}

}  // namespace

Invocation invocation() {
    auto arguments = std::make_shared<Arguments>();
    return {{{"FILE",
              &arguments->file,
              "A bundle or T4 file that db export has written, plain or .gz",
              {.required = true}},
             arguments->database_option(),
             arguments->log_option()},
            [arguments] { return run(*arguments); }};
}

}  // namespace jitune::internal::db_import_command
