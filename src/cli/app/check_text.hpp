// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "check/template_check.hpp"
#include "cli/formats/json.hpp"

namespace jitune::internal {

/// The check of one problem of a template.
struct CheckedProblem {
    std::string name;  ///< "matmul element=float32 m=4096 n=4096 k=4096"
    std::vector<DeviceCheck> devices;
};

/// The checks in words, for people. `rows` is the number of rows of each table of configurations;
/// 0: all.
std::string check_text(const std::vector<CheckedProblem>& problems,
                       std::span<const Finding> findings, std::size_t rows);

/// The checks as JSON, with a row for each configuration.
Json check_json(const std::string& file, const std::vector<CheckedProblem>& problems,
                std::span<const Finding> findings);

}  // namespace jitune::internal
