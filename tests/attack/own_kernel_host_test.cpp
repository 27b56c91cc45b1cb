// SPDX-License-Identifier: Apache-2.0
// An app with a kernel of its own, of which one candidate crashes. The app finds the jitune command
// that tunes it, or is told that there is none.

#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/process.hpp"
#include "support/temp_dir.hpp"

namespace jitune::internal {
namespace {

constexpr const char* kTwice = R"(/* jitune template
kernel = "twice"
backend = "host"
sizes = ["n"]
cache = "warm"
[parameters]
crash = { values = VALUES, default = 0 }
[arguments]
values = { access = "in", type = "float32", count = "n", fill = "random 0..9" }
result = { access = "out", type = "float32", count = "n" }
n = { access = "scalar", type = "int64", value = "n" }
[[launch]]
entry = "twice"
template = ["crash"]
arguments = ["result", "values", "n"]
[reference]
host = "twice_plainly"
arguments = ["result", "values", "n"]
*/
template <int kCrash>
void twice(float* result, const float* values, long n) {
    static int* volatile nowhere = nullptr;
    if (kCrash != 0) *nowhere = 1;
    for (long i = 0; i < n; ++i) result[i] = 2 * values[i];
}
#ifdef JITUNE_HOST
void twice_plainly(float* result, const float* values, long n) {
    for (long i = 0; i < n; ++i) result[i] = values[i] + values[i];
}
#endif
)";

class OwnKernel : public testing::Test {
protected:
    void SetUp() override {
        if (std::filesystem::exists(JITUNE_INSTALLED)) {
            GTEST_SKIP() << "apps find " << JITUNE_INSTALLED << " on this machine";
        }
        std::filesystem::create_directories(app_.parent_path());
        std::filesystem::copy_file(JITUNE_STATIC_APP, app_);
    }

    /// $PATH without the folders that have a jitune.
    static std::string search_path() {
        std::string kept;
        std::string rest = std::getenv("PATH");
        for (rest += ':'; !rest.empty(); rest.erase(0, rest.find(':') + 1)) {
            const std::string folder = rest.substr(0, rest.find(':'));
            kept += std::filesystem::exists(std::filesystem::path(folder) / "jitune")
                        ? ""
                        : folder + ":";
        }
        return kept;
    }

    /// A `jitune` in a folder of that name.
    [[nodiscard]] std::string put_command(const std::string& folder) const {
        const std::filesystem::path file = dir_.path() / folder / "jitune";
        std::filesystem::create_directories(file.parent_path());
        std::filesystem::create_symlink(JITUNE_COMMAND, file);
        return file.parent_path().string();
    }

    ProcessResult run(const std::filesystem::path& app, const std::string& worker = "",
                      const std::string& values = "[0, 1]") const {
        ProcessCommand command;
        command.program = app;
        std::string text = kTwice;
        const std::string mark = "VALUES";
        text.replace(text.find(mark), mark.size(), values);
        command.arguments = {dir_.write("twice.host.cpp", text).string(), database_};
        if (!worker.empty()) {
            command.arguments.push_back(worker);
        }
        command.environment = {"JITUNE_WORKER=" + variable_, "PATH=" + search_path_};
        return run_process(command);
    }

    /// That the kernel was tuned in a worker, which its candidate did not survive.
    static void expect_survived(const ProcessResult& result) {
        EXPECT_EQ(result.exit_code, 0) << describe_end(result) << ": " << result.output;
        for (const char* text : {"crash=1: crashed: signal 11", "tuned: crash=0"}) {
            EXPECT_NE(result.output.find(text), std::string::npos) << result.output;
        }
    }
    static void expect_refused(const ProcessResult& result, const std::string& why) {
        EXPECT_EQ(result.exit_code, 3) << describe_end(result) << ": " << result.output;
        for (const std::string& text : {std::string("cannot tune twice n=4 on host"), why}) {
            EXPECT_NE(result.output.find(text), std::string::npos) << result.output;
        }
    }

    TempDir dir_;
    const std::filesystem::path app_ = dir_.path() / "app" / "folder" / "own_kernel";
    const std::string database_ = dir_.path() / "tuning.db";
    std::string search_path_ = search_path();
    std::string variable_;
};

TEST_F(OwnKernel, IsRefusedWithoutTheCommand) {
    const ProcessResult result = run(app_);
    expect_refused(result, "there is no jitune command");
    for (const std::string& text :
         {(dir_.path() / "app/bin/jitune").string(), std::string(JITUNE_INSTALLED),
          std::string("$PATH"), std::string("JITUNE_WORKER")}) {
        EXPECT_NE(result.output.find(text), std::string::npos) << result.output;
    }
}

TEST_F(OwnKernel, IsTunedInAWorkerOfTheCommandThatTheAppNames) {
    variable_ = "/no/such/command";
    expect_refused(run(app_), "/no/such/command does not exist");
    expect_survived(run(app_, JITUNE_COMMAND));
}

TEST_F(OwnKernel, IsTunedInAWorkerOfTheCommandThatTheEnvironmentNames) {
    variable_ = JITUNE_COMMAND;
    expect_survived(run(app_));
}

TEST_F(OwnKernel, IsTunedInAWorkerOfTheCommandInstalledWithTheApp) {
    static_cast<void>(put_command("app/bin"));
    expect_survived(run(app_));
}

TEST_F(OwnKernel, IsNotTunedByACommandOfAnotherUserBesideTheApp) {
    std::filesystem::permissions(put_command("app/bin"), std::filesystem::perms::all);
    expect_refused(run(app_), "there is no jitune command");
}

TEST_F(OwnKernel, IsTunedInAWorkerOfTheCommandInstalledWithTheSharedLibrary) {
    const std::filesystem::path app = app_.parent_path() / "with_shared_library";
    std::filesystem::copy_file(JITUNE_SHARED_APP, app);
    expect_survived(run(app));
}

TEST_F(OwnKernel, IsTunedInAWorkerOfTheCommandOnThePath) {
    search_path_ += put_command("tools");
    expect_survived(run(app_));
}

TEST_F(OwnKernel, IsRefusedWhereTheCommandIsAnotherProgram) {
    variable_ = "/bin/true";
    expect_refused(run(app_), "/bin/true is not the jitune command of this build");
}

TEST_F(OwnKernel, IsNotTunedByACommandOfTheCallerOfASetUidProgram) {
    constexpr uid_t kNobody = 65'534;
    struct statvfs system {};
    ASSERT_EQ(::statvfs(dir_.path().c_str(), &system), 0);
    if (::geteuid() != 0 || (system.f_flag & ST_NOSUID) != 0) {
        GTEST_SKIP() << "needs root, and a folder for temporary files that has set-uid programs";
    }
    ASSERT_EQ(::chown(app_.c_str(), kNobody, kNobody), 0);
    ASSERT_EQ(::chmod(app_.c_str(), 04755), 0);
    ASSERT_EQ(::chmod(dir_.path().c_str(), 0755), 0);
    static_cast<void>(put_command("app/bin"));
    search_path_ += put_command("tools");
    variable_ = JITUNE_COMMAND;
    expect_refused(run(app_), "there is no jitune command (" JITUNE_INSTALLED ", $PATH)");
}

TEST_F(OwnKernel, IsTunedInTheProcessWhereTheAppSaysSo) {
    const ProcessResult harmless = run(app_, "none", "[0]");
    EXPECT_EQ(harmless.exit_code, 0) << harmless.output;
    EXPECT_NE(harmless.output.find("tuned: crash=0"), std::string::npos) << harmless.output;
}

TEST_F(OwnKernel, NeedsNoCommandForAStoredWinner) {
    expect_survived(run(app_, JITUNE_COMMAND));
    const ProcessResult later = run(app_);
    EXPECT_EQ(later.exit_code, 0) << later.output;
    EXPECT_NE(later.output.find("stored: crash=0"), std::string::npos) << later.output;
}

}  // namespace
}  // namespace jitune::internal
