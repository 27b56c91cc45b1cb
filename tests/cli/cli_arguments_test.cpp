// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "fixtures/cli_fixture.hpp"

namespace jitune::internal {
namespace {

/// What the command line says of wrong arguments, for all commands alike.
class CliArgumentsTest : public CliFixture {
protected:
    struct Entry {
        std::string name;
        bool takes_value = false;
    };

    /// The commands, options and places that a help text lists below `heading`.
    [[nodiscard]] std::vector<Entry> listed(const std::string& command,
                                            const std::string& heading) const {
        static const std::regex kEntry("  (?:-\\w,)?([\\w-]+)( TEXT| UINT| INT| FLOAT)?.*");
        std::vector<Entry> entries;
        std::istringstream lines(jitune(command + " --help").out);
        bool below = false;
        for (std::string line; std::getline(lines, line);) {
            std::smatch parts;
            if (!line.starts_with(' ')) {
                below = line == heading + ":";
            } else if (below && std::regex_match(line, parts, kEntry)) {
                entries.push_back({parts[1], parts[2].matched});
            }
        }
        return entries;
    }

    /// Every command that acts: "sweep reduce".
    [[nodiscard]] std::vector<std::string> commands(const std::string& group = "") const {
        std::vector<std::string> all;
        for (const Entry& entry : listed(group, "Subcommands")) {
            const std::string command = group + entry.name + " ";
            const std::vector<std::string> within = commands(command);
            all.insert(all.end(), within.begin(), within.end());
            if (within.empty()) {
                all.push_back(command);
            }
        }
        return all;
    }
};

TEST_F(CliArgumentsTest, EveryOptionOfEveryCommandRefusesAnEmptyValue) {
    std::size_t options = 0;
    for (const std::string& command : commands()) {
        for (const Entry& option : listed(command, "Options")) {
            if (option.takes_value) {
                ++options;
                expect_failure(command + option.name + " ''", 2, option.name + " is empty");
            }
        }
        std::string before;
        for (const Entry& place : listed(command, "Positionals")) {
            expect_failure(command + before + "''", 2, place.name + " is empty");
            before += "x ";
        }
    }
    EXPECT_GT(options, 100U);
}

TEST_F(CliArgumentsTest, AnEmptyValueBehindASignIsNotTheNextArgument) {
    expect_failure("sweep reduce --sizes= 2^10", 2, "--sizes is empty; it takes a value: As in");
    expect_failure("sweep reduce --sizes=", 2, "--sizes is empty");
    expect_failure("db verify --json=", 2, "not expected");
}

TEST_F(CliArgumentsTest, AForgottenSignIsPointedOut) {
    expect_failure("tune k.cu --only block 64 --budget 1", 2,
                   "not expected: 64; did you mean --only block=64?; jitune tune takes");
    expect_failure("tune k.cu --size n 2^20", 2, "did you mean --size n=2^20?");
    expect_failure("check k.cu --size n=3 --type element float32", 2,
                   "did you mean --type element=float32?");
    EXPECT_EQ(jitune("tune k.cu --only block=64 32").err.find("did you mean"), std::string::npos);
    EXPECT_EQ(jitune("sweep reduce --sizes 8 9").err.find("did you mean"), std::string::npos);
}

TEST_F(CliArgumentsTest, HelpListsStrategiesWhereOneIsChosen) {
    const auto lists = [&](const std::string& command) {
        const std::string text = jitune(command + " --help").out;
        EXPECT_NE(text.find("\nExit codes:\n"), std::string::npos) << command;
        return text.find("\nStrategies:\n") != std::string::npos;
    };
    EXPECT_TRUE(lists(""));
    for (const std::string& command : commands()) {
        const std::vector<Entry> options = listed(command, "Options");
        EXPECT_EQ(lists(command),
                  std::any_of(options.begin(), options.end(),
                              [](const Entry& one) { return one.name == "--strategy"; }))
            << command;
    }
    EXPECT_FALSE(lists("sweep"));
}

TEST_F(CliArgumentsTest, ErrorsAreJsonWhereJsonIsWanted) {
    const auto error_of = [&](const std::string& arguments, int code) {
        const Answer answer = jitune(arguments);
        EXPECT_EQ(answer.code, code) << arguments;
        EXPECT_TRUE(is_one_line(answer.err)) << answer.err;
        return json::parse(answer.out)["error"];
    };
    const json unknown = error_of("sweep reduce --json --types float8", 2);
    EXPECT_EQ(unknown["kind"], "usage");
    EXPECT_NE(unknown["message"].get<std::string>().find("float8"), std::string::npos);
    EXPECT_EQ(error_of("sweep reduce --sises 8 --json", 2)["kind"], "usage");
    EXPECT_EQ(error_of("db list --json", 3)["kind"], "store");
    EXPECT_EQ(error_of("sweep reduce --device cuda:99 --json", 4)["kind"], "unavailable");
}

TEST_F(CliArgumentsTest, FilesThatCannotBeUsedHaveAReason) {
    expect_failure("db import \"$folder/none\"", 2, "none\": No such file or directory");
    std::ofstream(path("notes")) << std::string(10'000, 'x');
    expect_failure("db list --db \"$folder/notes\"", 3,
                   "jitune: tuning database " + path("notes") + ": the file is not a database");
}

/// The lines of standard error, but for those that say that a device is busy.
int warnings_in(const std::string& err) {
    std::istringstream lines(err);
    int count = 0;
    for (std::string line; std::getline(lines, line);) {
        count += line.find("busy with other work") == std::string::npos ? 1 : 0;
    }
    return count;
}

TEST_F(CliArgumentsTest, WithoutAHomeOneWarningSaysThatNothingIsKept) {
    const std::string sweep =
        "exec env -u HOME -u JITUNE_DB \"$jitune\" sweep reduce --device host --sizes 1k --budget "
        "0.1";
    const Answer answer = shell(sweep);
    EXPECT_EQ(answer.code, 0) << answer.err;
    EXPECT_NE(answer.err.find("name a database with JITUNE_DB"), std::string::npos) << answer.err;
    EXPECT_EQ(warnings_in(answer.err), 1) << answer.err;
    EXPECT_NE(answer.out.find("nothing was stored, without a database"), std::string::npos);
    EXPECT_EQ(warnings_in(shell(sweep + " --db none").err), 0);
}

TEST_F(CliArgumentsTest, AFolderThatAKilledProcessHasLeftIsRemovedByTheNext) {
    const std::string sweep =
        "mkdir \"$folder/temp\"; TMPDIR=\"$folder/temp\"; export TMPDIR\n"
        "\"$jitune\" sweep reduce --device host --sizes 1k --budget 0 --no-isolation --strategy "
        "exhaustive &\n"
        "await 'ls \"$folder/temp\" | grep -q .'\n"
        "kill -STOP $!; ls \"$folder/temp\"; kill -KILL $!; wait $!\n"
        "\"$jitune\" sweep reduce --device host --sizes 1k --budget 0.1 --again >/dev/null\n"
        "echo behind:; ls \"$folder/temp\"\n";
    const Answer answer = shell(sweep);
    EXPECT_TRUE(answer.out.ends_with("behind:\n")) << answer.out << answer.err;
}

TEST_F(CliArgumentsTest, AnEmptyTypeNamesTheFormOfTypes) {
    const std::string template_file = JITUNE_EXAMPLES_DIR "/matmul.host.cpp";
    expect_failure("tune " + template_file + " --size m=8 --size n=8 --size k=8 --type element=", 2,
                   "is not NAME=TYPE, as in element=float32");
}

}  // namespace
}  // namespace jitune::internal
