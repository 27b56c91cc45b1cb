// SPDX-License-Identifier: Apache-2.0
// Programs of which one call fails, once or from then on: each ends by itself, answers right or
// says what is missing, and leaves no process, no folder and a good database. With
// JITUNE_ATTACK=full, many more calls of each function fail.

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "attack/tally.hpp"
#include "fixtures/store_fixture.hpp"
#include "support/temp_dir.hpp"
#include "tuner_db/tuning_store.hpp"
#include "tuner_db/winners/measurement_journal.hpp"

namespace jitune::internal {
namespace {

struct Program {
    std::string name;
    std::vector<std::string> command;
    std::set<int> codes;      ///< exit codes besides 0, each after an error message
    bool tunes = false;       ///< which takes long
    bool in_workers = false;  ///< the calls of its workers fail instead of its own
};

/// Which call of a function fails.
struct Fault {
    std::string call;  ///< empty: none
    long at = 0;
    bool forever = false;
};

std::ostream& operator<<(std::ostream& out, const Fault& fault) {
    return out << fault.call << " fails at call " << fault.at
               << (fault.forever ? " and from then on" : "");
}

struct End {
    int code = 0;  ///< the exit code, or minus the signal that ended it
    std::string output, error;
    std::map<std::string, long> calls;  ///< of each function
};

std::string read_text(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

/// Some of `calls` calls: the first ones, the last ones, and the middles of equal parts.
std::set<long> some_of(long calls, long first, long last, long parts) {
    std::set<long> numbers;
    for (long at = 1; at <= calls; ++at) {
        if (at <= first || at > calls - last) {
            numbers.insert(at);
        }
    }
    for (long part = 0; part < parts && calls > 0; ++part) {
        numbers.insert(((2 * part + 1) * calls + parts) / (2 * parts));
    }
    return numbers;
}

// With the runtime of GCC 13, a process without any memory still ends by signal 6 or 11.
#if defined(_GLIBCXX_RELEASE) && _GLIBCXX_RELEASE >= 13
constexpr bool kNeedsSomeMemory = true;
#else
constexpr bool kNeedsSomeMemory = false;
#endif

class FailCalls : public testing::Test {
protected:
    void SetUp() override {
        // Processes that a program leaves become children of this one.
        ASSERT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
        std::filesystem::create_directory(folder_);
        std::filesystem::permissions(folder_, std::filesystem::perms::owner_all);
        EXPECT_EQ(run({"", {JITUNE_STORED_CALL, database_}, {}}, {}).code, 0) << "stores";
        {  // a process that was killed
            MeasurementJournal journal(database_);
            journal.add(measurement_of(1));
            std::filesystem::copy(journal.path(), database_ + "-sweep-1-1");
            journal.clear();
        }
        std::filesystem::copy(folder_, good_);
        stored_ = rows();
        EXPECT_EQ(stored_.winners, 1);
    }

    End run(const Program& program, const Fault& fault) const {
        std::filesystem::remove(count_);
        std::filesystem::create_directory(scratch_);
        const pid_t child = fork();
        if (child == 0) {
            execute(program, fault);
        }
        int status = -1;
        waitpid(child, &status, 0);
        End end{WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status),
                read_text(output_),
                read_text(error_),
                {}};
        std::ifstream counts(count_);
        for (std::string call; counts >> call;) {
            counts >> end.calls[call];
        }
        return end;
    }

    [[noreturn]] void execute(const Program& program, const Fault& fault) const {
        setenv("LD_PRELOAD", JITUNE_FAIL_CALLS, 1);
        if (!fault.call.empty()) {
            setenv("FAIL_CALL", fault.call.c_str(), 1);
        }
        setenv("FAIL_AT", std::to_string(fault.at).c_str(), 1);
        setenv("FAIL_COUNT", count_.c_str(), 1);
        setenv("TMPDIR", scratch_.c_str(), 1);
        setenv("JITUNE_BUDGET", "0.1", 1);
        if (fault.forever) {
            setenv("FAIL_FOREVER", "1", 1);
        }
        if (program.in_workers) {
            setenv("FAIL_WORKER", "1", 1);
        }
        constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
        dup2(open(output_.c_str(), kFlags, 0600), STDOUT_FILENO);
        dup2(open(error_.c_str(), kFlags, 0600), STDERR_FILENO);
        alarm(40);  // a program that waits without end is ended by SIGALRM
        std::vector<std::string> words = program.command;
        std::vector<char*> arguments;
        for (std::string& word : words) {
            arguments.push_back(word.data());
        }
        arguments.push_back(nullptr);
        execv(arguments[0], arguments.data());
        _exit(127);
    }

    /// Fails calls of each function.
    void attack(const Program& program) {
        constexpr long kOfWorker = 20;  // workers are killed and count nothing
        restore();
        const End right = run(program, {});
        ASSERT_EQ(right.code, 0) << right.error;
        const TuningStore::Check after = rows();
        for (const auto& [call, calls] : right.calls) {
            Tally tally(fmt::format("{}: {} fails", program.name, call));
            for (const Fault& fault :
                 faults_of(program, call, program.in_workers ? kOfWorker : calls)) {
                restore();
                const End end = run(program, fault);
                const std::string complaint = complaint_about(program, fault, end, right, after);
                tally.add(complaint.empty());
                EXPECT_EQ(complaint, "") << program.name << ": " << fault << "; it ends with "
                                         << end.code << ": " << end.error;
            }
        }
    }

    static std::vector<Fault> faults_of(const Program& program, const std::string& call,
                                        long calls) {
        if (!attacks_in_full() && program.tunes) {
            const std::set<long> middle = some_of(calls, 0, 0, 1);
            return middle.empty() ? std::vector<Fault>()
                                  : std::vector{Fault{call, *middle.begin(), !program.in_workers}};
        }
        std::vector<Fault> faults;
        for (const long at : attacks_in_full()  ? some_of(calls, 200, 50, 200)
                             : call == "malloc" ? some_of(calls, 30, 20, 10)
                                                : some_of(calls, 1, 0, 1)) {
            faults.push_back({call, at, false});
            if (!kNeedsSomeMemory || call != "malloc") {
                faults.push_back({call, at, true});
            }
        }
        return faults;
    }

    /// What is wrong about a run; empty if nothing is. `right` is the run without a fault, and
    /// `after` the database after that.
    std::string complaint_about(const Program& program, const Fault& fault, const End& end,
                                const End& right, const TuningStore::Check& after) const {
        if (left_processes()) {
            return "a process is left";
        }
        if (fault.forever && fault.call == "malloc") {
            TempDir::remove_abandoned(scratch_);  // as the next process does that has memory
        }
        if (!std::filesystem::is_empty(scratch_)) {
            return "a folder is left";
        }
        const bool is_refused =
            program.codes.contains(end.code) &&
            (end.output + end.error).find_first_not_of(" \n") != std::string::npos;
        if (end.code == 0 ? end.output.empty() != right.output.empty() : !is_refused) {
            return "no right answer and no clear error";
        }
        return complaint_about_rows(end.code == 0 ? after : stored_);
    }

    /// What is wrong about the database, which must have the stored rows and the winners of
    /// `least`.
    [[nodiscard]] std::string complaint_about_rows(const TuningStore::Check& least) const {
        const std::string answer = answer_to_reader();
        if (!answer.empty() && answer.find("undoes that commit") == std::string::npos) {
            return "a reader does not learn what the next writer does: " + answer;
        }
        const TuningStore::Check check = rows();
        if (!check.problems.empty()) {
            return "the database is damaged: " + check.problems.front();
        }
        return check.winners < least.winners || check.measurements < stored_.measurements
                   ? "rows are lost"
                   : "";
    }

    /// The error that a process gets which may only read, as `jitune db verify`; empty if none.
    [[nodiscard]] std::string answer_to_reader() const {
        try {
            TuningStore::open(database_, TuningStore::Access::read_only, Log(LogLevel::off, {}));
            return "";
        } catch (const Error& error) {
            return error.what();
        }
    }

    /// What the next process that writes finds.
    [[nodiscard]] TuningStore::Check rows() const {
        const auto store =
            TuningStore::open(database_, TuningStore::Access::read_write, Log(LogLevel::off, {}));
        MeasurementJournal::recover(database_, *store);
        return store->verify();
    }

    /// Whether a child is left that does not end by itself in a while, as killed ones do.
    static bool left_processes() {
        for (int round = 0; round < 200; ++round) {
            while (waitpid(-1, nullptr, WNOHANG) > 0) {
            }
            if (waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD) {
                return false;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        return true;
    }

    void restore() const {
        std::filesystem::remove_all(folder_);
        std::filesystem::copy(good_, folder_);
        std::filesystem::remove_all(scratch_);
    }

    TempDir dir_;
    std::string folder_ = dir_.path() / "store";
    std::string good_ = dir_.path() / "good";
    std::string database_ = folder_ + "/tuning.db";
    std::string count_ = dir_.path() / "count";
    std::string output_ = dir_.path() / "output";
    std::string error_ = dir_.path() / "error";
    std::string scratch_ = dir_.path() / "scratch";
    TuningStore::Check stored_;
    Program sweep_{"jitune sweep",
                   {JITUNE_COMMAND, "sweep", "reduce", "--device", "host", "--sizes", "9000",
                    "--budget", "0", "--evaluations", "2", "--db", database_},
                   {1, 3, 4},
                   true};
};

TEST_F(FailCalls, AnAppGetsAnErrorOrTheRightAnswer) {
    attack({"a stored call of an app", {JITUNE_STORED_CALL, database_}, {3}});
}

TEST_F(FailCalls, AnAppThatTunesGetsAnErrorOrTheRightAnswer) {
    attack({"a tuning call of an app", {JITUNE_STORED_CALL, folder_ + "/another.db"}, {3}, true});
}

TEST_F(FailCalls, TheCommandListsWinnersOrSaysWhatFailed) {
    attack({"jitune db list", {JITUNE_COMMAND, "db", "list", "--db", database_}, {1, 3, 4}});
}

TEST_F(FailCalls, ASweepStoresAWinnerOrSaysWhatFailed) {
    attack(sweep_);
}

TEST_F(FailCalls, ASweepSurvivesItsWorkersOrSaysWhatFailed) {
    sweep_.name = "the worker of a sweep";
    sweep_.in_workers = true;
    attack(sweep_);
}

}  // namespace
}  // namespace jitune::internal
