// SPDX-License-Identifier: Apache-2.0
#include "cli/app/output.hpp"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <system_error>

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
    print(json_text(document, 2) + '\n');
}

void print_either(bool json, const Json& document, std::string_view text) {
    if (json) {
        print_json(document);
    } else {
        print(text);
    }
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

void refuse_overwriting(const std::filesystem::path& input, const char* option,
                        const std::string& output) {
    std::error_code none_there;
    if (std::filesystem::equivalent(input, output, none_there)) {
        throw Error(
            ErrorKind::usage,
            fmt::format("{} {}: this file is the input; name another file", option, output));
    }
}

void refuse_overwriting_database(const std::filesystem::path& path, const char* option,
                                 const std::string& output) {
    // A relative path of which nothing is there stays as it is.
    const auto place_of = [](const std::filesystem::path& file) {
        std::error_code unknown;
        const auto whole = std::filesystem::absolute(file, unknown);
        return std::filesystem::weakly_canonical(unknown ? file : whole, unknown);
    };
    const auto place = place_of(output);
    for (const char* const suffix : {"", "-journal", "-wal", "-shm"}) {
        const std::filesystem::path own = path.native() + suffix;
        std::error_code none_there;
        if (std::filesystem::equivalent(own, output, none_there) ||
            (!place.empty() && place == place_of(own))) {
            throw Error(ErrorKind::usage,
                        fmt::format("{} {}: this file belongs to the database; name another file",
                                    option, output));
        }
    }
}

}  // namespace jitune::internal
