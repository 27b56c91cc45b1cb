// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace jitune::internal {

/// Where the argument of an option is written. A bool is a flag, which takes no argument; a vector
/// takes one more argument each time that the option is given. An empty optional: not given.
using OptionTarget =
    std::variant<std::string*, std::optional<std::string>*, std::vector<std::string>*, std::size_t*,
                 std::optional<std::int64_t>*, double*, bool*>;

struct OptionRules {
    bool required = false;
    std::vector<std::string> excludes = {};  ///< names of options that it cannot be given with
    std::optional<std::pair<std::size_t, std::size_t>> range = {};  ///< smallest and largest number
    std::vector<std::string> choices = {};  ///< values that completions offer; others may be right
};

/// One option of a command, as data.
struct Option {
    std::string name;  ///< "--seed" or "-n,--size"; without a dash an argument by place: "FILE"
    OptionTarget target;
    std::string help;
    OptionRules rules = {};
};

/// One use of a command: options that fill its arguments, and the work that follows. `run` keeps
/// the targets of `options` alive, returns the exit code and throws Error.
struct Invocation {
    std::vector<Option> options;
    std::function<int()> run;
};

/// One row of the command line: a command that acts, or a group of commands.
struct Command {
    std::string name;
    std::string help;
    std::function<Invocation()> invocation = {};  ///< null for a group
    std::vector<Command> children = {};
    /// For a group: the child that is meant if a file stands in the place of a child's name.
    std::string file_child = {};
};

/// The first line of help texts.
inline constexpr const char* kProgramSummary =
    "jitune tunes kernels for the device they run on, and stores the winners";

/// Every command of `jitune`. A new one is a file, whose namespace makes its Invocation, and a row.
std::vector<Command> commands();

}  // namespace jitune::internal
