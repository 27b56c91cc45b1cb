// SPDX-License-Identifier: Apache-2.0
#include "cli/tune/keep_tuned.hpp"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "tuning/record/binary_cache.hpp"

namespace jitune::internal {

namespace {

void add_role(std::vector<KeptConfiguration>& wanted, const std::string& role,
              const std::string& configuration) {
    const auto known = std::find_if(wanted.begin(), wanted.end(), [&](const auto& one) {
        return one.configuration == configuration;
    });
    if (known == wanted.end()) {
        wanted.push_back({role, configuration, {}});
    } else if (known->role.find(role) == std::string::npos) {
        known->role += ", " + role;
    }
}

/// The winner's own code if the report has it, else code that is compiled now.
CompileOutcome outcome_of(const Task& task, const Winner& winner, const Configuration& one) {
    if (winner.configuration == one.text() && !winner.image.empty()) {
        return Binary{winner.image_format, std::make_shared<const std::string>(winner.image),
                      winner.symbols};
    }
    return BinaryCache().compile(task, task.instance(one));
}

/// A command that runs only this configuration, and the default if that is another one.
std::string profile_line(const ShownProgram& program, std::vector<std::string> command) {
    std::vector<std::string> words = program.recipe().profiler;
    words.emplace_back("jitune");
    words.insert(words.end(), command.begin(), command.end());
    for (const auto& [name, value] : program.configuration.entries()) {
        words.insert(words.end(), {"--only", fmt::format("{}={}", name, to_string(value))});
    }
    words.insert(words.end(), {"--budget", "0", "--db", "none", "--no-isolation"});
    return "to profile it: " + shell_text(words);
}

}  // namespace

std::vector<KeptConfiguration> keep_tuned(const KeptPrograms& programs, const Task& task,
                                          const SearchPlan& plan, const TuneReport& report,
                                          const std::vector<std::string>& command) {
    std::vector<KeptConfiguration> kept;
    add_role(kept, "winner", report.winner.configuration);
    add_role(kept, "default", task.default_configuration().text());
    for (const std::string& first : plan.first) {
        add_role(kept, "first", first);
    }
    for (KeptConfiguration& one : kept) {
        const ShownProgram program{task.kernel_template(), task.problem, task.info(),
                                   task.parse(one.configuration), one.role};
        one.folder = programs.add(program, outcome_of(task, report.winner, program.configuration),
                                  {profile_line(program, command)});
    }
    return kept;
}

}  // namespace jitune::internal
