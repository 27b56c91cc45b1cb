// SPDX-License-Identifier: Apache-2.0
#include "support/log.hpp"

#include <array>
#include <cstdio>

#include "support/file_size_guard.hpp"

namespace jitune::internal {

namespace {

void write_to_stderr(LogLevel level, std::string_view message) {
    // One call, so that the lines of several threads do not mix.
    const std::string line = fmt::format("jitune: {}: {}\n", to_string(level), message);
    const FileSizeGuard guard;
    std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace

Log::Log(LogLevel level, Sink sink)
    : level_(level), sink_(sink ? std::move(sink) : Sink(write_to_stderr)) {}

void Log::send(LogLevel level, std::string_view message) const {
    try {
        sink_(level, message);
    } catch (...) {
    }
}

std::string_view to_string(LogLevel level) {
    constexpr std::array<std::string_view, 5> kNames{"off", "error", "warning", "info", "debug"};
    return kNames.at(static_cast<std::size_t>(level));
}

}  // namespace jitune::internal
