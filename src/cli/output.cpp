// SPDX-License-Identifier: Apache-2.0
#include "cli/output.hpp"

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>

#include <fmt/format.h>

#include "jitune/error.hpp"

namespace jitune::internal {

void print_error(std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
}

void print(std::string_view text) {
    const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
    if (written && std::fflush(stdout) == 0) {
        return;
    }
    if (errno == EPIPE) {
        throw OutputClosed{};
    }
    throw Error(ErrorKind::usage,
                fmt::format("cannot write to standard output: {}", std::strerror(errno)));
}

void print_json(const Json& document) {
    print(document.dump(2, ' ', false, Json::error_handler_t::replace) + '\n');
}

Json json_number(double value) {
    if (std::isnan(value)) {
        return "NaN";
    }
    if (std::isinf(value)) {
        return value > 0 ? "Infinity" : "-Infinity";
    }
    return value;
}

}  // namespace jitune::internal
