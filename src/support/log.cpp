// SPDX-License-Identifier: Apache-2.0
#include "support/log.hpp"

#include <array>
#include <cstdio>
#include <utility>

#include "support/thread_signals.hpp"

namespace jitune::internal {

namespace {

void write_to_stderr(LogLevel level, std::string_view message) {
    // One call, so that the lines of several threads do not mix.
    const std::string line = fmt::format("jitune: {}: {}\n", to_string(level), message);
    const FileSizeGuard guard;
    std::fwrite(line.data(), 1, line.size(), stderr);
}

/// Marks the calling thread while it is in a sink.
thread_local bool in_sink = false;

class SinkScope {
public:
    SinkScope() : before_(std::exchange(in_sink, true)) {}
    ~SinkScope() { in_sink = before_; }
    SinkScope(const SinkScope&) = delete;
    SinkScope& operator=(const SinkScope&) = delete;

private:
    const bool before_;
};

}  // namespace

Log::Log(LogLevel level, Sink sink)
    : level_(level), sink_(sink ? std::move(sink) : Sink(write_to_stderr)) {}

bool Log::is_in_sink() {
    return in_sink;
}

void Log::send(LogLevel level, std::string_view message) const {
    const SinkScope scope;
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
