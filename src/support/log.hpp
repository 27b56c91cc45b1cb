// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "jitune/options.hpp"

namespace jitune::internal {

/// Passes messages to a sink. Cheap to copy; safe to use from any thread if its sink is. Exceptions
/// of the sink are dropped: a message must not change the result of a call.
class Log {
public:
    using Sink = std::function<void(LogLevel, std::string_view)>;

    /// An empty sink writes "jitune: <level>: <message>" lines to standard error.
    explicit Log(LogLevel level = LogLevel::warning, Sink sink = {});

    template <class... Args>
    void error(fmt::format_string<Args...> format, Args&&... args) const {
        write(LogLevel::error, format, std::forward<Args>(args)...);
    }
    template <class... Args>
    void warning(fmt::format_string<Args...> format, Args&&... args) const {
        write(LogLevel::warning, format, std::forward<Args>(args)...);
    }
    template <class... Args>
    void info(fmt::format_string<Args...> format, Args&&... args) const {
        write(LogLevel::info, format, std::forward<Args>(args)...);
    }
    template <class... Args>
    void debug(fmt::format_string<Args...> format, Args&&... args) const {
        write(LogLevel::debug, format, std::forward<Args>(args)...);
    }

    /// Whether the calling thread is in a sink, of any log. It must not come back into jitune,
    /// whose locks it may hold.
    static bool is_in_sink();

private:
    template <class... Args>
    void write(LogLevel level, fmt::format_string<Args...> format, Args&&... args) const {
        if (level <= level_) {
            try {
                send(level, fmt::format(format, std::forward<Args>(args)...));
            } catch (...) {  // NOLINT(bugprone-empty-catch): such as a lack of memory
            }
        }
    }

    void send(LogLevel level, std::string_view message) const;

    LogLevel level_;
    Sink sink_;
};

/// "off", "error" and so on, as in JITUNE_LOG.
std::string_view to_string(LogLevel level);

}  // namespace jitune::internal
