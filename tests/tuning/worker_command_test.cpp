// SPDX-License-Identifier: Apache-2.0
#include "tuning/isolation/worker_command.hpp"

#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fixtures/expect_error.hpp"
#include "support/process_identity.hpp"
#include "support/temp_dir.hpp"

namespace jitune::internal {
namespace {

/// Has a folder with each kind of file, and an environment without a worker, which it restores.
class WorkerCommand : public testing::Test {
protected:
    WorkerCommand() {
        for (const char* name : {"JITUNE_WORKER", "PATH", kFamilyVariable}) {
            const char* const value = std::getenv(name);
            before_[name] = value == nullptr ? std::nullopt : std::optional<std::string>(value);
            ::unsetenv(name);
        }
        ::setenv("PATH", "", 1);
        std::filesystem::create_directory(folder_);
    }
    ~WorkerCommand() override {
        for (const auto& [name, value] : before_) {
            value ? ::setenv(name.c_str(), value->c_str(), 1) : ::unsetenv(name.c_str());
        }
    }

    [[nodiscard]] std::filesystem::path program(const std::string& name) const {
        const std::filesystem::path file = dir_.write(name, "");
        std::filesystem::permissions(file, std::filesystem::perms::owner_all);
        return file;
    }
    static void expect_refused(const std::filesystem::path& named, const std::string& why) {
        const std::vector<std::filesystem::path> no_other;
        for (const std::string& text : {named.string() + " " + why, std::string("JITUNE_WORKER")}) {
            expect_error(ErrorKind::unavailable, text, [&] { find_worker(named, no_other); });
        }
    }

    TempDir dir_;
    const std::filesystem::path missing_ = dir_.path() / "missing" / "jitune";
    const std::filesystem::path folder_ = dir_.path() / "folder";
    const std::filesystem::path plain_ = dir_.write("plain", "");
    const std::filesystem::path good_ = program("good");
    std::map<std::string, std::optional<std::string>> before_;
};

TEST_F(WorkerCommand, TheOptionComesBeforeTheEnvironment) {
    EXPECT_EQ(named_worker({}), "");
    ::setenv("JITUNE_WORKER", "", 1);
    EXPECT_EQ(named_worker({}), "");
    ::setenv("JITUNE_WORKER", "/of/the/environment", 1);
    EXPECT_EQ(named_worker({}), "/of/the/environment");
    EXPECT_EQ(named_worker("/of/the/option"), "/of/the/option");
    EXPECT_EQ(named_worker(kNoWorker), kNoWorker);
}

TEST_F(WorkerCommand, ARelativePathHoldsAfterAChangeOfFolder) {
    const std::filesystem::path here = std::filesystem::current_path();
    EXPECT_EQ(named_worker("bin/jitune"), here / "bin/jitune");
    ::setenv("JITUNE_WORKER", "build/bin/jitune", 1);
    EXPECT_EQ(named_worker({}), here / "build/bin/jitune");
    EXPECT_TRUE(named_worker("./none").is_absolute());
    EXPECT_EQ(named_worker("jitune-next"), "jitune-next");
}

TEST_F(WorkerCommand, TakesTheNamedOneOrNone) {
    EXPECT_EQ(find_worker(good_, std::vector{program("usual")}), good_);
    expect_refused(missing_, "does not exist");
    expect_refused(folder_, "is a folder");
    expect_refused(plain_, "is no executable file");
    expect_refused("jitune-next", "is not on $PATH");
    ::setenv("PATH", dir_.path().c_str(), 1);
    EXPECT_EQ(find_worker("good", {}), good_);
}

TEST_F(WorkerCommand, TakesTheFirstUsualOneThatCanBeRun) {
    const std::vector<std::filesystem::path> usual{missing_, folder_, plain_, good_,
                                                   program("later")};
    ::setenv("PATH", program("path/jitune").parent_path().c_str(), 1);
    EXPECT_EQ(find_worker({}, usual), good_);
}

TEST_F(WorkerCommand, TakesTheOneOnThePathLast) {
    const std::filesystem::path last = program("path/jitune");
    ::setenv("PATH", last.parent_path().c_str(), 1);
    EXPECT_EQ(find_worker({}, std::vector{missing_, plain_}), last);
}

TEST_F(WorkerCommand, SaysWhereItHasLookedAndWhatToDo) {
    for (const std::string& text :
         {"no jitune command (" + missing_.string() + ", " + plain_.string() + ", $PATH)",
          std::string("install it"), std::string("JITUNE_WORKER"),
          std::string("\"none\" to tune in this process")}) {
        expect_error(ErrorKind::unavailable, text, [&] {
            find_worker({}, std::vector{missing_, plain_});
        });
    }
}

TEST_F(WorkerCommand, AWorkerThatIsNoCommandStartsNoWorker) {
    ::setenv(kFamilyVariable, new_family().c_str(), 1);
    expect_error(ErrorKind::unavailable, "JITUNE_WORKER_FAMILY is set",
                 [&] { find_worker(good_, {}); });
}

}  // namespace
}  // namespace jitune::internal
