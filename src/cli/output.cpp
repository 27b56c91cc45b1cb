// SPDX-License-Identifier: Apache-2.0
#include "cli/output.hpp"

#include <cerrno>
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
    print(document.text(2) + '\n');
}

}  // namespace jitune::internal
