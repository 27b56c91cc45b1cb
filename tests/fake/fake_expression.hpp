// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

namespace jitune::internal {

/// A kernel's name expression, taken apart: "jitune::stencil<int, 2, jitune::Weighting::sum>".
struct FakeExpression {
    explicit FakeExpression(const std::string& text) : name(text.substr(0, text.find('<'))) {
        std::istringstream list(text.substr(std::min(text.find('<') + 1, text.size())));
        for (std::string argument; std::getline(list >> std::ws, argument, ',');) {
            arguments.push_back(argument.substr(0, argument.find('>')));
        }
    }

    std::string name;
    std::vector<std::string> arguments;
};

}  // namespace jitune::internal
