// SPDX-License-Identifier: Apache-2.0
#include "cli/formats/t1.hpp"

#include <algorithm>
#include <array>
#include <chrono>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/formats/json_file.hpp"
#include "jitune/error.hpp"
#include "support/embedded.hpp"
#include "support/process.hpp"
#include "support/temp_dir.hpp"
#include "support/text_file.hpp"
#include "text/units.hpp"

namespace jitune::internal {

namespace embedded {

/// python/jitune/t1, in any folder.
extern const std::span<const File> t1_modules;

}  // namespace embedded

namespace {

// -I and -S: without settings, packages and folders of the user; -B: it writes no compiled modules.
constexpr std::array kOptions{"-I", "-S", "-B", "-X", "utf8", "-c"};
// The folder of the package is the first argument.
constexpr const char* kStart =
    "import sys; sys.path.insert(0, sys.argv.pop(1)); "
    "from t1.__main__ import main; sys.exit(main())";
constexpr std::size_t kShownOutput = 300;      // the end of a failure's output
constexpr std::chrono::seconds kMostTime{60};  // the module's own limits end it in a few

std::filesystem::path python_program(const std::filesystem::path& file) {
    const auto python = find_program("python3");
    if (!python) {
        throw Error(ErrorKind::unavailable,
                    fmt::format("cannot read the T1 tuning problem {}: no program python3 in the "
                                "folders of $PATH: install Python 3.9 or later (package python3)",
                                file.string()));
    }
    return *python;
}

[[noreturn]] void refuse_end(const std::filesystem::path& file, const std::filesystem::path& python,
                             const ProcessResult& result) {
    if (result.timed_out) {
        throw Error(ErrorKind::usage,
                    fmt::format("{}: T1 tuning problem: it takes Python more than {} s to read it: "
                                "simplify its expressions",
                                file.string(), kMostTime.count()));
    }
    const std::size_t shown = std::min(kShownOutput, result.output.size());
    const std::string end = one_line(result.output.substr(result.output.size() - shown));
    throw Error(ErrorKind::unavailable,
                fmt::format("cannot read the T1 tuning problem {}: {} ended with {}: it takes "
                            "Python 3.9 or later with its standard library; it wrote: {}",
                            file.string(), python.string(), describe_end(result), end));
}

/// What the module says of the problem: `error`, or `header`, `kernel` and `notes`.
ParsedJson answer_for(const std::filesystem::path& file) {
    const std::filesystem::path python = python_program(file);
    const TempDir folder;
    for (const embedded::File& module : embedded::t1_modules) {
        static_cast<void>(folder.write(
            std::string("t1/").append(std::filesystem::path(module.name).filename()), module.text));
    }
    // The program inherits no open files, of which this may be one: /dev/fd/63.
    const std::string text = read_json_text(file);
    parse_json(text, file.string());  // refuses what is no JSON, and what would take much memory
    const std::filesystem::path problem = folder.write("problem.json", text);
    const std::filesystem::path answer = folder.path() / "answer.json";
    std::vector<std::string> arguments(kOptions.begin(), kOptions.end());
    arguments.insert(arguments.end(), {kStart, folder.path(), "--name=" + file.string(),
                                       "--answer=" + answer.string(), problem});
    const ProcessResult result = run_process(
        {.program = python, .arguments = arguments, .environment = {}, .timeout = kMostTime});
    if (!result.succeeded()) {
        refuse_end(file, python, result);
    }
    return read_json(answer);
}

}  // namespace

T1Template read_t1(const std::filesystem::path& file) {
    const ParsedJson answer = answer_for(file);
    if (find_member(answer, "error") != nullptr) {
        throw Error(ErrorKind::usage, text_member(answer, "error"));
    }
    const std::filesystem::path kernel = text_member(answer, "kernel");
    const std::filesystem::path path = "." / file.parent_path() / kernel;
    try {
        return {file.string(), text_member(answer, "header") + read_text_file(path),
                path.parent_path(), list_member(answer, "notes").get<std::vector<std::string>>()};
    } catch (const Error& error) {
        throw Error(error.kind(),
                    fmt::format("{}: T1 tuning problem: {}", file.string(), error.what()),
                    error.native_code());
    }
}

}  // namespace jitune::internal
