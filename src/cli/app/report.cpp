// SPDX-License-Identifier: Apache-2.0
#include "cli/app/report.hpp"

#include <unistd.h>

#include <cerrno>
#include <iterator>
#include <system_error>

#include "cli/app/common_options.hpp"
#include "report/page.hpp"
#include "report/report_data.hpp"
#include "support/text_file.hpp"
#include "text/units.hpp"

namespace jitune::internal {

namespace {

constexpr const char* kStandardOutput = "-";

}  // namespace

void refuse_report_file(const Options& options, const char* option, const std::string& file) {
    if (file == kStandardOutput) {
        return;
    }
    refuse_overwriting_database(options.database, option, file);
    const std::filesystem::path folder = std::filesystem::path(file).parent_path();
    const std::filesystem::path place = folder.empty() ? "." : folder;
    std::error_code unknown;
    if (std::filesystem::is_directory(file, unknown)) {
        throw Error(ErrorKind::usage,
                    fmt::format("{} {}: this is a folder; name a file", option, file));
    }
    if (::access(place.c_str(), F_OK) != 0 || !std::filesystem::is_directory(place, unknown)) {
        throw Error(ErrorKind::usage, fmt::format("{} {}: there is no folder {}: make it first",
                                                  option, file, place.string()));
    }
    const bool is_new = !std::filesystem::exists(file, unknown);
    if ((is_new || std::filesystem::is_regular_file(file, unknown)) &&
        ::access(place.c_str(), W_OK) != 0) {
        throw Error(ErrorKind::usage,
                    fmt::format("{} {}: cannot write in the folder {}: {}", option, file,
                                place.string(), std::generic_category().message(errno)));
    }
}

void refuse_sweep_report(const Options& options, const std::string& file) {
    if (file.empty()) {
        return;
    }
    if (file == kStandardOutput) {
        throw Error(ErrorKind::usage,
                    "--report -: the sweep's table is on standard output; name a file");
    }
    if (options.database.empty()) {
        throw Error(
            ErrorKind::usage,
            fmt::format(
                "--report {}: the page shows a database, and none is named: name one with --db",
                file));
    }
    refuse_report_file(options, "--report", file);
}

void write_report(const Options& options, const WinnerFilter& filter, const std::string& file,
                  bool quiet) {
    const auto store = open_database(options);
    const std::vector<Winner> winners = store->winners();
    filter.warn_if_none(winners, Log(options.log_level, options.log_sink));
    const ReportScope scope{options.database.string(), filter.given(),
                            [&](const RecordKey& key) { return filter.matches(key); }};
    const std::string page = report_page(gather_report(*store, winners, scope));
    if (file == kStandardOutput) {
        print(page);
        return;
    }
    replace_file(file, page);
    if (!quiet) {
        print(fmt::format("wrote {}: {}\n", file, bytes_text(std::ssize(page))));
    }
}

namespace report_command {

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

}  // namespace report_command

}  // namespace jitune::internal
