// SPDX-License-Identifier: Apache-2.0
#include "cli/app/output.hpp"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

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

std::size_t terminal_columns(int terminal) {
    constexpr std::size_t kUsual = 80;
    struct winsize size {};
    if (::ioctl(terminal, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        return size.ws_col;
    }
    const char* const word = ::secure_getenv("COLUMNS");
    const std::string_view text(word != nullptr ? word : "");
    std::size_t columns = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), columns);
    const bool is_number = error == std::errc() && end == text.data() + text.size();
    return is_number && columns > 0 ? columns : kUsual;
}

std::size_t output_columns() {
    return terminal_columns(STDOUT_FILENO);
}

}  // namespace jitune::internal
