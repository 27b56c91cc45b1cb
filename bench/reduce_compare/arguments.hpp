// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "jitune/options.hpp"
#include "reduce_compare/selection.hpp"

namespace jitune::bench {

/// What the command line says.
struct Arguments {
    Request request;
    Options options;  ///< of jitune's session
    int samples = 15;
    double deadline_s = 0;  ///< no cell is begun later; 0: none
    std::string csv;
    bool json = false;
};

/// Empty, after printing, where there is nothing to do: --help, or with `exit_code` set, an error.
/// Throws Error(usage).
std::optional<Arguments> parse_arguments(int argc, char** argv, int& exit_code);

}  // namespace jitune::bench
