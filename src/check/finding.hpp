// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace jitune::internal {

/// Something about a template that its author should know.
struct Finding {
    enum class Level { error, warning } level = Level::error;
    std::string place;    ///< "matmul.cu:12", or the file alone
    std::string text;     ///< what is wrong
    std::string excerpt;  ///< the line of code and a mark below it, where the compiler shows them
    /// Of a finding about configurations: those that have it, of all devices, and one of them.
    std::size_t configurations = 0;
    std::string example = {};
    std::vector<std::string> devices = {};
};

}  // namespace jitune::internal
