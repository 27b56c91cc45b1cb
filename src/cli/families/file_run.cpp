// SPDX-License-Identifier: Apache-2.0
#include "cli/families/file_run.hpp"

#include <system_error>

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "text/units.hpp"

namespace jitune::internal {

std::vector<Option> FileRunArguments::dispatch_options(const std::string& devices) {
    return {device_option(&device, devices + " [the first GPU, else the host]"),
            tune_option(TunePolicy::now),
            budget_option("Seconds to try candidates [JITUNE_BUDGET, else 2]"),
            database_option(),
            log_option(),
            json_option()};
}

void FileRun::add_to(Json& document) const {
    document["device"] = info ? Json(info->device) : Json();
    document["origin"] = info ? Json(to_string(info->origin)) : Json();
    document["configuration"] = info ? Json(info->configuration) : Json();
    document["seconds"] = seconds;
    document["gb_per_s"] = gb_per_s;
    document["compiles"] = compiles;
}

std::string FileRun::text(const std::string& nothing) const {
    if (!info) {
        return file_run_line("device", nothing);
    }
    return file_run_line("device", fmt::format("{} ({})", info->device, info->device_name)) +
           file_run_line("configuration", info->configuration) +
           file_run_line("origin", std::string(to_string(info->origin))) +
           file_run_line("time", time_text(seconds * 1e9)) +
           file_run_line("rate", fmt::format("{} GB/s", rate_text(gb_per_s)));
}

void refuse_overwriting(const std::filesystem::path& input, const char* option,
                        const std::string& output) {
    std::error_code none_there;
    if (std::filesystem::equivalent(input, output, none_there)) {
        throw Error(
            ErrorKind::usage,
            fmt::format("{} {}: this file is the input; name another file", option, output));
    }
}

void refuse_overwriting_database(const std::filesystem::path& path, const char* option,
                                 const std::string& output) {
    // A relative path of which nothing is there stays as it is.
    const auto place_of = [](const std::filesystem::path& file) {
        std::error_code unknown;
        const auto whole = std::filesystem::absolute(file, unknown);
        return std::filesystem::weakly_canonical(unknown ? file : whole, unknown);
    };
    const auto place = place_of(output);
    for (const char* const suffix : {"", "-journal", "-wal", "-shm"}) {
        const std::filesystem::path own = path.native() + suffix;
        std::error_code none_there;
        if (std::filesystem::equivalent(own, output, none_there) ||
            (!place.empty() && place == place_of(own))) {
            throw Error(ErrorKind::usage,
                        fmt::format("{} {}: this file belongs to the database; name another file",
                                    option, output));
        }
    }
}

std::string file_run_line(const std::string& name, const std::string& value) {
    return fmt::format("{:<14} {}\n", name, value);
}

}  // namespace jitune::internal
