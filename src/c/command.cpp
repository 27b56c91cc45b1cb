// SPDX-License-Identifier: Apache-2.0
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

/// What the command says on standard error.
class Listener {
public:
    Listener(const Log& log, jitune_progress progress, void* user)
        : log_(log), progress_(progress), user_(user) {}

    /// Whether the command is to go on.
    bool operator()(std::string_view line) {
        constexpr std::string_view kMessage = "jitune: ";
        constexpr std::string_view kWarning = "jitune: warning: ";
        if (line.substr(0, kWarning.size()) == kWarning) {
            log_.warning("{}", line.substr(kWarning.size()));
        } else if (line.substr(0, kMessage.size()) == kMessage) {
            message_ = line.substr(kMessage.size());
        } else if (progress_ != nullptr && !stopped_) {
            stopped_ = progress_(std::string(line).c_str(), user_) != 0;
        }
        return !stopped_;
    }

    [[nodiscard]] bool stopped() const { return stopped_; }
    [[nodiscard]] const std::string& message() const { return message_; }

private:
    const Log& log_;
    const jitune_progress progress_;
    void* const user_;
    bool stopped_ = false;
    std::string message_;  ///< the last that is no warning
};

ProcessCommand command_of(const Options& options, const char* const* words, size_t word_count) {
    if (options.database.empty()) {
        throw Error(ErrorKind::usage,
                    "jitune_command: the session has no database: set the option database");
    }
    const bool named = !options.worker.empty() && options.worker != kNoWorker;
    ProcessCommand command;
    command.program = find_worker(named ? options.worker : "", usual_workers());
    command.environment.emplace_back("JITUNE_PROGRESS=0.5");
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
        const CommandRun run = run_command(command, std::ref(listener));
        status = status_of(run.end, listener.stopped());
        if (!run.output.empty()) {
            *json = new_text(run.output);
        }
        if (status != JITUNE_OK) {
            const std::string words_text = fmt::format("{}", fmt::join(command.arguments, " "));
            remember(status, fmt::format("jitune {}: {}: {}", words_text, describe_end(run.end),
                                         listener.message()));
        }
    });
    return thrown != JITUNE_OK ? thrown : status;
}
