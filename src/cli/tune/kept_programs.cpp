// SPDX-License-Identifier: Apache-2.0
#include "cli/tune/kept_programs.hpp"

#include <unistd.h>

#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "jitune/error.hpp"
#include "support/hash.hpp"
#include "support/text_file.hpp"

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

}  // namespace

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

}  // namespace jitune::internal
