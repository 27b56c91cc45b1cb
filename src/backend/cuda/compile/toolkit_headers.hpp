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
/// take some 100 MB of files each, and as much memory. Used by one thread.
class PrecompiledHeaders {
public:
    /// `folder` is there, and for this process alone. The caller removes it.
    explicit PrecompiledHeaders(std::filesystem::path folder) : folder_(std::move(folder)) {}

    /// NVRTC's options for a program that begins with these headers. Empty if they cannot be kept:
    /// there is too little space, or give_up() or note() says so.
    std::vector<std::string> options(const std::string& headers);
    /// Call it after a compile with options(). NVRTC does not say so if they do not fit into its
    /// memory, and would try again each time.
    void note(const std::string& headers);
    void give_up() { gave_up_ = true; }

    /// What ends the part of a program that is kept.
    static constexpr std::string_view kMark = "#pragma nv_hdrstop\n";

private:
    [[nodiscard]] std::size_t files() const;

    std::filesystem::path folder_;
    std::map<std::string, bool> kept_;  ///< by headers
    std::size_t files_ = 0;
    bool gave_up_ = false;
};

}  // namespace jitune::internal
