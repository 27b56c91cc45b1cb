// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <vector>

#include "cli/app/command.hpp"
#include "cli/app/common_options.hpp"
#include "cli/app/exit_code.hpp"
#include "cli/app/report_file.hpp"
#include "cli/db/winner_filter.hpp"

namespace jitune::internal::report_command {

namespace {

struct Arguments : CommonArguments {
    WinnerFilter filter;
    std::string out = "report.html";
};

int run(const Arguments& arguments) {
    const Options options = arguments.options();
    refuse_report_file(options, "--out", arguments.out);
    write_report(options, arguments.filter, arguments.out, false);
    return kExitOk;
}

}  // namespace

Invocation invocation() {
    auto arguments = std::make_shared<Arguments>();
    std::vector<Option> options{
        {"--out", &arguments->out, "The HTML file to write; -: standard output [report.html]"}};
    append(options, arguments->filter.key_options());
    append(options, {arguments->database_option(), arguments->log_option()});
    return {std::move(options), [arguments] { return run(*arguments); }};
}

}  // namespace jitune::internal::report_command
