// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/app/common_options.hpp"
#include "cli/app/output.hpp"
#include "jitune/session.hpp"

namespace jitune::internal {

/// Values of --device where arrays in host memory can be placed, for the help.
inline constexpr const char* kPlacedDevices =
    "host, cuda, cuda:N, or machine: the CPU, the GPUs or all of them";

/// The arguments of commands that run one kernel on the array in a file.
struct FileRunArguments : CommonArguments {
    std::string file;
    std::string device;

    /// All options but the file. `devices`: the values of --device, for the help.
    std::vector<Option> dispatch_options(const std::string& devices = "host, cuda or cuda:N");
};

/// The winner that was launched, and its speed.
struct FileRun {
    std::optional<DispatchInfo> info;  ///< nothing was dispatched where there is nothing to do
    double seconds = 0;
    double gb_per_s = 0;
    std::int64_t compiles = 0;

    void add_to(Json& document) const;
    /// Lines of name and value; `nothing` says why nothing was dispatched.
    [[nodiscard]] std::string text(const std::string& nothing) const;
};

/// Throws Error(usage) where the argument of `option` is the file `input` by any name. The input is
/// mapped while the output is written.
void refuse_overwriting(const std::filesystem::path& input, const char* option,
                        const std::string& output);

/// The same for the database `path`, also where `output` is a journal that SQLite keeps beside it,
/// whether that is there or not.
void refuse_overwriting_database(const std::filesystem::path& path, const char* option,
                                 const std::string& output);

/// A name and a value, in the columns of FileRun::text().
std::string file_run_line(const std::string& name, const std::string& value);

}  // namespace jitune::internal
