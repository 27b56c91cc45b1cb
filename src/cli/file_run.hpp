// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/common_options.hpp"
#include "cli/output.hpp"
#include "jitune/session.hpp"

namespace jitune::internal {

/// What --device may be where host memory can be placed, for the help.
inline constexpr const char* kPlacedDevices =
    "auto, host, cuda or cuda:N, or machine: where host memory is worked on";

/// The arguments of commands that run one kernel on the array in a file.
struct FileRunArguments : CommonArguments {
    std::string file;
    std::string device = "auto";

    /// All but the file. `devices`: what --device may be, for the help.
    std::vector<Option> dispatch_options(const std::string& devices = "auto, host, cuda or cuda:N");
};

/// What answered, and how fast.
struct FileRun {
    std::optional<DispatchInfo> info;  ///< nothing was dispatched where there is nothing to do
    double seconds = 0;
    double gb_per_s = 0;
    std::int64_t compiles = 0;

    void add_to(Json& document) const;
    /// Lines of name and value; `nothing` says why nothing was dispatched.
    [[nodiscard]] std::string text(const std::string& nothing) const;
};

/// Throws Error(usage) where the argument of `option` is the file `input`, by whatever name, which
/// is still in use when the output is written.
void refuse_overwriting(const std::filesystem::path& input, const char* option,
                        const std::string& output);

/// A name and a value, in the columns of FileRun::text().
std::string file_run_line(const std::string& name, const std::string& value);

}  // namespace jitune::internal
