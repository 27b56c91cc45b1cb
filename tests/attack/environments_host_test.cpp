// SPDX-License-Identifier: Apache-2.0
// Apps and commands in environments that harm them: each answers, or says what is wrong, and no
// stored winner is lost.

#include <array>
#include <string_view>
#include <vector>

#include "attack/tally.hpp"
#include "fixtures/cli_fixture.hpp"

namespace jitune::internal {
namespace {

struct Environment {
    std::string_view name;
    std::string_view shell;       ///< makes the environment and runs "$@"
    std::string_view needs = "";  ///< a command that fails where the environment cannot be made
    bool is_mute = false;         ///< no text can be written
};

constexpr std::string_view kMounts = "unshare -m true";

// $folder/db/tuning.db is the database, $JITUNE_DB names it, and $folder/new is free to use.
constexpr std::array kEnvironments{
    Environment{"no HOME", "unset HOME JITUNE_DB; \"$@\""},
    Environment{"a HOME that is missing", "unset JITUNE_DB; HOME=/none/home \"$@\""},
    Environment{"a HOME that is a file", "unset JITUNE_DB; HOME=/etc/passwd \"$@\""},
    Environment{"an empty HOME", "unset JITUNE_DB; HOME= \"$@\""},
    Environment{"no environment", "env -i \"$@\""},
    Environment{"a full disk for the database",
                "mkdir new; unshare -m sh -c 'mount -t tmpfs -o size=$(du -k db/tuning.db | cut "
                "-f1)k none new && cp db/tuning.db new && JITUNE_DB=$folder/new/tuning.db \"$@\"' "
                "sh \"$@\"",
                kMounts},
    Environment{"a full disk for a new database",
                "mkdir new; unshare -m sh -c 'mount -t tmpfs -o size=4k none new && "
                "JITUNE_DB=$folder/new/tuning.db \"$@\"' sh \"$@\"",
                kMounts},
    Environment{"a full temporary folder",
                "mkdir new; unshare -m sh -c 'mount -t tmpfs -o size=8k none new && TMPDIR=new "
                "\"$@\"' sh \"$@\"",
                kMounts},
    Environment{"a write-protected disk for the database",
                "unshare -m sh -c 'mount --bind db db && mount -o remount,ro,bind db && \"$@\"' "
                "sh \"$@\"",
                kMounts},
    Environment{"a write-protected temporary folder",
                "mkdir new; unshare -m sh -c 'mount -t tmpfs -o ro none new && TMPDIR=new \"$@\"' "
                "sh \"$@\"",
                kMounts},
    Environment{"no /proc", "unshare -m sh -c 'mount -t tmpfs none /proc && \"$@\"' sh \"$@\"",
                kMounts},
    Environment{"no /sys", "unshare -m sh -c 'mount -t tmpfs none /sys && \"$@\"' sh \"$@\"",
                kMounts},
    Environment{"no /dev", "unshare -m sh -c 'mount -t tmpfs none /dev && \"$@\"' sh \"$@\"",
                kMounts},
    Environment{"a missing temporary folder", "TMPDIR=/none/temp \"$@\""},
    Environment{"a temporary folder that is a file", "TMPDIR=/etc/passwd \"$@\""},
    Environment{"a temporary folder with blanks and quotes",
                "mkdir \"a 'b' \\\"c\\\" \\$d\"; TMPDIR=\"$PWD/a 'b' \\\"c\\\" \\$d\" \"$@\""},
    Environment{"umask 0777", "umask 0777; \"$@\""},
    Environment{"umask 0", "umask 0; \"$@\""},
    Environment{"no standard streams", "\"$@\" <&- >&- 2>&-", "", true},
    Environment{"no standard input and output", "\"$@\" <&- >&-", "", true},
    Environment{"a full standard output", "\"$@\" >/dev/full", "", true},
    Environment{"a full standard error", "\"$@\" 2>/dev/full", "", true},
    Environment{"32 open files", "ulimit -n 32; \"$@\""},
    Environment{"8 open files", "ulimit -n 8; \"$@\""},
    Environment{"files of at most 32 KiB", "ulimit -f 64; \"$@\""},
    Environment{"files that stay empty", "ulimit -f 0; \"$@\" >/dev/null 2>&1", "", true},
    Environment{"512 MiB of addresses", "ulimit -v 524288; \"$@\""},
    Environment{"48 MiB of addresses", "ulimit -v 49152; \"$@\""},
    Environment{"a stack of 512 KiB", "ulimit -s 512; \"$@\""},
    Environment{"no PATH", "PATH=/none; \"$@\""},
    Environment{"an unset PATH", "unset PATH; \"$@\""},
    Environment{"SIGCHLD ignored", "trap '' CHLD; exec \"$@\""},
    Environment{"SIGPIPE, SIGHUP and SIGTERM ignored", "trap '' PIPE HUP TERM; exec \"$@\""},
    Environment{"no working folder", "mkdir new; cd new; rmdir ../new; \"$@\""},
    Environment{"a database whose path has ?, # and %",
                "mkdir 'a?b#c%d&mode=ro'; cp db/tuning.db 'a?b#c%d&mode=ro'; "
                "JITUNE_DB=\"$folder/a?b#c%d&mode=ro/tuning.db\" \"$@\""},
    Environment{"a database whose path is not UTF-8",
                "p=$(printf 'a\\377b'); mkdir \"$p\"; JITUNE_DB=\"$folder/$p/t.db\" \"$@\""},
    Environment{"a database whose path is too long",
                "JITUNE_DB=/$(printf '%05000d' 1)/tuning.db \"$@\""},
    Environment{"a database that is a folder", "mkdir new; JITUNE_DB=$folder/new \"$@\""},
    Environment{"a database that is a pipe", "mkfifo new; JITUNE_DB=$folder/new \"$@\""},
    Environment{"a database that is a link",
                "ln -s db/tuning.db new; JITUNE_DB=$folder/new \"$@\""},
    Environment{"a database that is /dev/full", "JITUNE_DB=/dev/full \"$@\""},
    Environment{"a database that all may write",
                "mkdir new; cp db/tuning.db new; chmod 666 new/tuning.db; "
                "JITUNE_DB=$folder/new/tuning.db \"$@\""},
    Environment{"a user without a name and a home",
                "mkdir new; cp db/tuning.db new; chown -R 54321 new; chmod 755 .; unset HOME; "
                "JITUNE_DB=$folder/new/tuning.db TMPDIR=$folder/new setpriv --reuid 54321 "
                "--clear-groups \"$@\"",
                "setpriv --reuid 54321 --clear-groups test -x \"$jitune\""},
    Environment{"an unknown locale", "LC_ALL=xx_YY.UTF-9 LANG=zz \"$@\""},
    Environment{"German numbers", "LC_ALL=de_DE.UTF-8 \"$@\"",
                "locale -a | grep -qi '^de_DE.utf-\\?8$'"},
    Environment{"one core", "taskset -c 0 \"$@\"", "taskset -c 0 true"},
    Environment{"memory that is not zero",
                "MALLOC_PERTURB_=165 GLIBC_TUNABLES=glibc.malloc.perturb=165 \"$@\""},
    Environment{"unreadable settings", "JITUNE_LOG=loud JITUNE_BUDGET=-1 JITUNE_TUNE=soon \"$@\""},
};

class Environments : public CliFixture {
protected:
    void SetUp() override {
        CliFixture::SetUp();
        // CliFixture's own files would be in the way of some environments.
        home_ = folder_;
        folder_ = home_ / "attacked";
        std::filesystem::create_directories(folder_ / "db");
        std::filesystem::permissions(folder_ / "db", std::filesystem::perms::owner_all);
        EXPECT_EQ(run("\"$@\"", stored_call()).code, 0);
        database_ = contents(folder_ / "db/tuning.db");
    }
    void TearDown() override {
        folder_ = home_;
        CliFixture::TearDown();
    }

    static std::string stored_call() { return "'" JITUNE_STORED_CALL "'"; }

    /// A shell's answer to a command in an environment, in a folder with nothing but the database.
    [[nodiscard]] Answer run(std::string_view environment, const std::string& command) const {
        return shell(
            fmt::format("cd \"$folder\"; export folder TMPDIR=/tmp JITUNE_BUDGET=0.1 "
                        "JITUNE_DB=\"$folder/db/tuning.db\"\nset -- timeout -k 5 60 {}\n{{ {}\n}}",
                        command, environment));
    }

    void restore() const {
        for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
            std::filesystem::remove_all(entry);
        }
        std::filesystem::create_directory(folder_ / "db");
        std::filesystem::permissions(folder_ / "db", std::filesystem::perms::owner_all);
        std::ofstream(folder_ / "db/tuning.db", std::ios::binary) << database_;
        std::filesystem::permissions(
            folder_ / "db/tuning.db",
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    }

    /// Whether a program has answered right, or ended with a code of its own and said why.
    static bool survives(const Answer& answer, const Environment& environment, bool is_app) {
        const bool is_loader = answer.code == 127;  // no memory to load the program
        const bool is_refusal = is_app ? answer.code == 3 : answer.code > 0 && answer.code <= 4;
        return answer.code == 0 || is_loader ||
               (is_refusal && (environment.is_mute || !(answer.out + answer.err).empty()));
    }

    std::filesystem::path home_;
    std::string database_;
};

TEST_F(Environments, MainReturnsWhileThreadsCall) {
    Tally tally("ends of main while threads call");
    const std::string command = stored_call() + " - 8";
    for (int time = 0; time < tries(20, 500); ++time) {
        const Answer answer = run("\"$@\"", command);
        EXPECT_EQ(answer.code, 0) << answer.err;
        tally.add(answer.code == 0);
    }
}

TEST_F(Environments, AreSurvived) {
    Tally tally("programs in environments that harm them");
    const std::string command = "'" JITUNE_COMMAND "' ";
    for (const Environment& environment : kEnvironments) {
        if (!environment.needs.empty() &&
            run("\"$@\"", "sh -c '" + std::string(environment.needs) + "'").code != 0) {
            std::printf("not tried: %s\n", std::string(environment.name).c_str());
            continue;
        }
        std::vector<std::string> programs{stored_call(), command + "db verify"};
        if (attacks_in_full()) {
            programs.push_back(command + "devices");
            programs.push_back(
                command + "sweep reduce --device host --sizes 1000 --evaluations 2 --budget 0");
        }
        for (const std::string& program : programs) {
            restore();
            const Answer answer = run(environment.shell, program);
            const bool survived = survives(answer, environment, program == stored_call());
            EXPECT_TRUE(survived) << environment.name << ": " << program << " ends with "
                                  << answer.code << ": " << answer.out << answer.err;
            const Answer writer = run("\"$@\"", command + "worklist clear");
            EXPECT_EQ(writer.code, 0) << "a writer ends what was cut off: " << writer.err;
            const Answer after = run("\"$@\"", command + "db list --json");
            const bool is_kept =
                after.code == 0 && after.out.find("\"kernel\"") != std::string::npos;
            EXPECT_TRUE(is_kept) << environment.name << ": " << program
                                 << " has lost the winner: " << after.out << after.err;
            tally.add(survived && is_kept);
        }
    }
}

}  // namespace
}  // namespace jitune::internal
