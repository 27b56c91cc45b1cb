// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "cli/app/command_line.hpp"
#include "cli/app/exit_code.hpp"
#include "cli/app/interrupt.hpp"
#include "cli/app/output.hpp"
#include "families/families.hpp"
#include "jitune/error.hpp"
#include "text/units.hpp"
#include "worker/worker.hpp"

namespace jitune::internal {

namespace {

// While the program starts and ends, nothing catches std::bad_alloc. This handler then says that
// memory is missing, and ends the program with kExitUnavailable. It is installed before the program
// makes any other object.

std::terminate_handler usual_terminate = nullptr;

bool is_for_missing_memory() {
    const std::exception_ptr thrown = std::current_exception();
    if (thrown == nullptr) {
        return false;
    }
    try {
        std::rethrow_exception(thrown);
    } catch (const std::bad_alloc&) {
        return true;
    } catch (...) {
        return false;
    }
}

[[noreturn]] void end_program() {
    if (is_for_missing_memory()) {
        constexpr std::string_view kMessage = "jitune: not enough memory\n";
        const ssize_t written = ::write(STDERR_FILENO, kMessage.data(), kMessage.size());
        _exit(written < 0 ? kExitFailed : kExitUnavailable);
    }
    usual_terminate();
    _exit(kExitFailed);  // not reached: the usual handler does not return
}

// Static objects of the program are made after this.
__attribute__((constructor(101))) void watch_for_missing_memory() {
    usual_terminate = std::set_terminate(end_program);
}

/// Call it in a worker: from here on std::bad_alloc ends the process by a signal, by which a
/// candidate that throws it is judged.
void end_by_signal_without_memory() {
    std::set_terminate(usual_terminate);
}

/// Returns the exit code; throws what the work throws.
int run(int argc, char** argv, const CommandProgram& program) {
    // For jitune alone, which starts the program as a worker and as compilers.
    if (argc == 3 && std::string_view(argv[1]) == "worker") {
        end_by_signal_without_memory();
        run_worker(argv[2], families());
    }
    if ((argc == 3 || argc == 4) && std::string_view(argv[1]) == "compiler") {
        end_by_signal_without_memory();
        run_compiler(argv[2], argc == 4 ? argv[3] : "");
    }
    const auto work = read_command_line(argc, argv, program);
    return work();
}

/// Whether the command was asked for JSON, also if its other arguments are wrong.
bool wants_json(int argc, char** argv) {
    return std::any_of(argv + 1, argv + argc,
                       [](std::string_view word) { return word == "--json"; });
}

/// One line on standard error, and a document on standard output if `json` is set.
int report(const CommandProgram& program, bool json, ErrorKind kind, const char* message,
           int code) {
    print_error(fmt::format("{}: {}\n", program.name, one_line(message)));
    if (json) {
        try {
            print_json({{"error", {{"kind", to_string(kind)}, {"message", message}}}});
        } catch (const std::exception&) {  // the line above has said it
        } catch (const OutputClosed&) {
        }
    }
    return code;
}

}  // namespace

int run_program(int argc, char** argv, const CommandProgram& program) {
    catch_failed_writes();
    const bool json = wants_json(argc, argv);
    try {
        return run(argc, argv, program);
    } catch (const OutputClosed&) {
        return kExitPipe;
    } catch (const Error& error) {
        // A tuning that a stop request ends before its first candidate throws Error(unavailable).
        const bool stopped = error.kind() == ErrorKind::unavailable && was_interrupted();
        return report(program, json, error.kind(), error.what(),
                      stopped ? kExitInterrupted : exit_code(error.kind()));
    } catch (const std::bad_alloc&) {
        return report(program, json, ErrorKind::unavailable, "not enough memory", kExitUnavailable);
    } catch (const std::system_error& error) {
        constexpr const char* kRefused = "the system refused what the command needs: ";
        return report(program, json, ErrorKind::unavailable,
                      (kRefused + std::string(error.what())).c_str(), kExitUnavailable);
    } catch (const std::exception& error) {
        return report(program, json, ErrorKind::device, error.what(), kExitFailed);
    }
}

}  // namespace jitune::internal
