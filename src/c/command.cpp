// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "c/command_run.hpp"
#include "c/error.hpp"
#include "c/handles.hpp"
#include "dispatch/session_access.hpp"
#include "jitune/error.hpp"
#include "tuning/isolation/worker_command.hpp"

using namespace jitune;
using namespace jitune::internal;

namespace {

/// Reads the command's standard error: passes messages to the log and progress to the caller.
class Listener {
public:
    Listener(const Log& log, jitune_progress progress, void* user)
        : log_(log), progress_(progress), user_(user) {}

    /// Whether the command is to go on.
    bool operator()(std::string_view line) {
        const auto rest = [line](std::string_view begin) {
            return line.starts_with(begin) ? std::optional(line.substr(begin.size()))
                                           : std::nullopt;
        };
        if (const auto warning = rest("jitune: warning: ")) {
            log_.warning("{}", *warning);
        } else if (const auto info = rest("jitune: info: ")) {
            log_.info("{}", *info);
        } else if (const auto debug = rest("jitune: debug: ")) {
            log_.debug("{}", *debug);
        } else if (const auto message = rest("jitune: ")) {
            message_ = *message;
        } else if (progress_ != nullptr && !stopped_) {
            stopped_ = progress_(std::string(line).c_str(), user_) != 0;
        }
        return !stopped_;
    }

    [[nodiscard]] bool stopped() const { return stopped_; }
    /// Why the command has failed.
    [[nodiscard]] std::string message() const {
        return stopped_           ? "the progress function has stopped it"
               : message_.empty() ? "its document says more"
                                  : message_;
    }

private:
    const Log& log_;
    const jitune_progress progress_;
    void* const user_;
    bool stopped_ = false;
    std::string message_;  ///< the last of the command itself
};

std::filesystem::path program_of(const Options& options) {
    const bool is_named = !options.worker.empty() && options.worker != kNoWorker;
    try {
        return find_worker(is_named ? options.worker : "", usual_workers());
    } catch (const Error&) {  // it speaks of a worker
        throw Error(
            ErrorKind::unavailable,
            fmt::format("jitune_command: cannot find the jitune command{}: install it, put it on "
                        "$PATH, or set the option worker to its path",
                        is_named ? " " + options.worker.string() : std::string()));
    }
}

ProcessCommand command_of(const Options& options, const char* const* words, size_t word_count) {
    if (options.database.empty()) {
        throw Error(ErrorKind::usage,
                    "jitune_command: the session has no database: set the option database");
    }
    ProcessCommand command;
    command.program = program_of(options);
    const double hang_limit_s = std::chrono::duration<double>(options.hang_limit).count();
    command.environment = {"JITUNE_PROGRESS=0.5", "JITUNE_WORKER=" + command.program.string(),
                           fmt::format("JITUNE_HANG_LIMIT={}", hang_limit_s),
                           fmt::format("JITUNE_FROZEN={}", options.frozen ? 1 : 0)};
    for (size_t i = 0; i < word_count; ++i) {
        refuse_null(words, "jitune_command: words");
        refuse_null(words[i], "jitune_command: one of the words");
        command.arguments.emplace_back(words[i]);
    }
    command.arguments.insert(command.arguments.end(),
                             {"--json", "--db", options.database.string()});
    return command;
}

jitune_status status_of(const ProcessResult& end, bool stopped) {
    // exit_code.hpp of the command
    switch (end.exit_code) {
        case 0:
            return JITUNE_OK;
        case 2:
            return JITUNE_ERROR_USAGE;
        case 3:
            return JITUNE_ERROR_STORE;
        case 4:
            return JITUNE_ERROR_UNAVAILABLE;
        default:
            return stopped ? JITUNE_ERROR_INTERRUPTED : JITUNE_ERROR_COMMAND;
    }
}

}  // namespace

jitune_status jitune_command(jitune_session* session, const char* const* words, size_t word_count,
                             jitune_progress progress, void* user, char** json) {
    jitune_status status = JITUNE_OK;
    const jitune_status thrown = guarded([&] {
        refuse_null(json, "jitune_command: json");
        *json = nullptr;
        const Engine& engine = SessionAccess::engine(session_of(session));
        const ProcessCommand command = command_of(engine.options(), words, word_count);
        Listener listener(engine.log(), progress, user);
        const ProcessResult run = run_command(command, std::ref(listener));
        status = status_of(run, listener.stopped());
        if (!run.output.empty()) {
            *json = new_text(run.output);
        }
        if (status != JITUNE_OK) {
            const std::string words_text = fmt::format("{}", fmt::join(command.arguments, " "));
            remember(status, fmt::format("jitune {}: {}: {}", words_text, describe_end(run),
                                         listener.message()));
        }
    });
    return thrown != JITUNE_OK ? thrown : status;
}
