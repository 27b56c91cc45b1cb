// SPDX-License-Identifier: Apache-2.0
#include "cli/tune/kept_programs.hpp"

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "backend/platform_table.hpp"
#include "jitune/error.hpp"
#include "support/hash.hpp"
#include "support/text_file.hpp"
#include "template/problem.hpp"
#include "tuning/record/binary_cache.hpp"
#include "tuning/search/compile_programs.hpp"

namespace jitune::internal {

namespace {

constexpr std::string_view kHead = "A configuration kept by jitune\n";
constexpr std::string_view kFacts = "configuration.txt";
constexpr std::size_t kDigits = 12;  // of a digest: enough for the configurations of one folder

using Files = std::vector<std::pair<std::filesystem::path, std::string>>;

std::string digest_of(const ShownProgram& program) {
    Hasher hasher("kept program");
    const Instance instance = program.instance();
    hasher.text(program.kernel.hash()).text(program.device.device_class).text(instance.program());
    hasher.text(program.configuration.text());
    for (const std::string& expression : instance.expressions) {
        hasher.text(expression);
    }
    return hex(hasher.digest()).substr(0, kDigits);
}

std::string lines_text(const std::vector<std::string>& lines) {
    return fmt::format("{}\n", fmt::join(lines, "\n"));
}

Files files_of(const ShownProgram& program, const CompileOutcome& outcome,
               const std::vector<std::string>& remarks) {
    const CompileRecipe recipe = program.recipe();
    Files files{{recipe.file, recipe.text}};
    for (const auto& [name, text] : program.kernel.source().headers) {
        files.emplace_back(std::filesystem::path("include") / name, text);
    }
    std::string facts = std::string(kHead) + lines_text(program.description());
    if (const auto* const binary = std::get_if<Binary>(&outcome)) {
        files.emplace_back(std::filesystem::path("kernel").replace_extension(binary->format),
                           *binary->image);
        facts += fmt::format("symbols: {}\n", fmt::join(binary->symbols, "; "));
    } else {
        facts += "does not compile: " + std::get<CompileFailure>(outcome).log + "\n";
    }
    // The commands come first, so that the file is a script, too.
    std::string compile = fmt::format("{}\n", shell_text(recipe.command));
    for (const auto* lines : {&recipe.notes, &remarks}) {
        for (const std::string& line : *lines) {
            compile += fmt::format("# {}\n", line);
        }
    }
    files.emplace_back("compile.txt", compile);
    files.emplace_back(kFacts, facts);  // last: the folder is jitune's
    return files;
}

void write_into(const std::filesystem::path& folder, const Files& files) {
    for (const auto& [name, text] : files) {
        const std::filesystem::path path = folder / name;
        std::error_code error;
        std::filesystem::create_directories(path.parent_path(), error);  // else the write says it
        replace_file(path, text);
    }
}

/// A new, empty folder beside those that are kept. A folder that is removed with all its files,
/// unless it is renamed.
class FreshFolder {
public:
    explicit FreshFolder(const std::filesystem::path& folder)
        : path_(folder / fmt::format(".jitune-{}", ::getpid())) {
        std::error_code error;
        std::filesystem::remove_all(path_, error);  // of a process that was killed
        std::filesystem::create_directory(path_, error);
        if (error) {
            throw Error(ErrorKind::usage, fmt::format("--keep: cannot write into \"{}\": {}",
                                                      folder.string(), error.message()));
        }
    }
    ~FreshFolder() {
        std::error_code error;
        std::filesystem::remove_all(path_, error);
    }
    FreshFolder(const FreshFolder&) = delete;
    FreshFolder& operator=(const FreshFolder&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

bool is_ours(const std::filesystem::path& folder) {
    return read_if_there(folder / kFacts).starts_with(kHead);
}

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

CompileRecipe ShownProgram::recipe() const {
    const MakeRecipe make = platform_entry(device.platform).make_recipe;
    if (make == nullptr) {
        throw Error(
            ErrorKind::unavailable,
            fmt::format("this build of jitune has no compiler for {}", to_string(device.platform)));
    }
    Instance alone = instance();
    const TemplateSource source = defined_source(kernel.source(), alone);
    alone.defines.clear();
    return make(device, source, alone);
}

std::vector<std::string> ShownProgram::description() const {
    const std::string types = readable_types(types_text(problem));
    return {
        fmt::format("kernel: {} of {}", problem.kernel, kernel.source().name),
        fmt::format("problem: {}{}{}", types, types.empty() ? "" : " ",
                    sizes_text(problem, kernel.front_matter().sizes)),
        fmt::format("device: {} ({})", device.name.empty() ? device.id : device.name,
                    device.device_class),
        fmt::format("configuration: {}", configuration.text()),
        fmt::format("shown as: {}", role),
        fmt::format("entries: {}", fmt::join(instance().expressions, "; ")),
    };
}

std::vector<std::string> recipe_lines(const ShownProgram& program, const CompileRecipe& recipe) {
    std::vector<std::string> lines{fmt::format("compile: {}", shell_text(recipe.command))};
    lines.insert(lines.end(), recipe.notes.begin(), recipe.notes.end());
    std::vector<std::string> headers;
    for (const auto& [name, text] : program.kernel.source().headers) {
        headers.push_back("include/" + name);
    }
    if (!headers.empty()) {
        lines.push_back(fmt::format("needs {}: --keep DIR writes them", fmt::join(headers, ", ")));
    }
    return lines;
}

KeptPrograms::KeptPrograms(std::filesystem::path folder) : folder_(std::move(folder)) {
    std::error_code error;
    std::filesystem::create_directories(folder_, error);
    if (error) {
        throw Error(ErrorKind::usage, fmt::format("--keep: cannot make the folder \"{}\": {}",
                                                  folder_.string(), error.message()));
    }
    const FreshFolder tried(folder_);
}

std::filesystem::path KeptPrograms::add(const ShownProgram& program, const CompileOutcome& outcome,
                                        const std::vector<std::string>& remarks) const {
    const std::filesystem::path place = folder_ / digest_of(program);
    const Files files = files_of(program, outcome, remarks);
    std::error_code error;
    if (std::filesystem::exists(place, error)) {
        if (!is_ours(place)) {
            throw Error(ErrorKind::usage,
                        fmt::format("--keep: \"{}\" is there, and jitune has not written it: name "
                                    "another folder",
                                    place.string()));
        }
        write_into(place, files);
        return place;
    }
    const FreshFolder fresh(folder_);
    write_into(fresh.path(), files);
    std::filesystem::rename(fresh.path(), place, error);
    if (error && is_ours(place)) {  // another process was first
        write_into(place, files);
    } else if (error) {
        throw Error(ErrorKind::usage, fmt::format("--keep: cannot write \"{}\": {}", place.string(),
                                                  error.message()));
    }
    return place;
}

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
