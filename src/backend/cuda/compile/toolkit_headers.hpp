// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/device.hpp"

namespace jitune::internal {

/// The lines that include headers of the toolkit at the beginning of a source, one a line. Only
/// blanks and comments stand between them. Empty if the source begins otherwise, or finds headers
/// in folders of its own: these may depend on parameters.
std::string leading_toolkit_headers(const TemplateSource& source,
                                    std::span<const std::string> toolkit_folders);

/// The text of a program in which these headers come first, then `mark`. Parameters that the text
/// defines as macros stand behind them, and cannot change what they mean.
std::string with_headers_first(const TemplateSource& source, std::string_view headers,
                               std::string_view mark);

/// Headers of the toolkit that NVRTC keeps precompiled for later programs of this process (NVRTC
/// user guide, "Precompiled Headers"): those of CUB take 1 s of each program, kept ones 0.2 s. They
/// take a file of some 100 MB, and as much memory. A program with other headers, or with options
/// that change what these mean, has a file of its own in place of the last. Used by one thread.
class PrecompiledHeaders {
public:
    /// `folder` is there, and for this process alone. The caller removes it.
    explicit PrecompiledHeaders(std::filesystem::path folder) : folder_(std::move(folder)) {}

    /// NVRTC's options for a program that begins with these headers. Empty if they cannot be kept:
    /// there is too little space, or give_up() or note() says so.
    std::vector<std::string> options(const std::string& headers);
    /// Call it after a compile with options(). NVRTC does not say so if they do not fit into its
    /// memory, and would try again each time. It would keep them for each combination of options,
    /// too, where these are tuned: after some files that served no further program, no more follow.
    void note(const std::string& headers);
    void give_up() { gave_up_ = true; }

    /// The line that ends the part of a program that NVRTC keeps.
    static constexpr std::string_view kMark = "#pragma nv_hdrstop\n";

private:
    std::filesystem::path folder_;
    std::filesystem::path file_;               ///< the last that was made
    std::map<std::string, bool> is_worth_it_;  ///< by headers
    int unused_ = 0;                           ///< files one after the other that served none
    bool gave_up_ = false;
};

}  // namespace jitune::internal
