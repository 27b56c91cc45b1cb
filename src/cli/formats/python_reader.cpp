// SPDX-License-Identifier: Apache-2.0
#include "cli/formats/python_reader.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "cli/formats/json_file.hpp"
#include "jitune/error.hpp"
#include "support/embedded.hpp"
#include "support/process.hpp"
#include "support/temp_dir.hpp"
#include "text/units.hpp"

namespace jitune::internal {

namespace embedded {

/// python/jitune/t1, in any folder.
extern const std::span<const File> t1_modules;

}  // namespace embedded

namespace {

// The folder of the package is the first argument.
constexpr const char* kStart =
    "import sys; sys.path.insert(0, sys.argv.pop(1)); "
    "from t1.__main__ import main; from t1.{} import answer_of; sys.exit(main(None, answer_of))";
constexpr std::size_t kShownOutput = 300;       // of a failure: its end, which names the exception
constexpr std::chrono::seconds kMostTime{300};  // 133 MiB of results took 40 s of a core

std::filesystem::path python_program(const ForeignFormat& format,
                                     const std::filesystem::path& file) {
    const auto python = find_program("python3");
    if (!python) {
        throw Error(ErrorKind::unavailable,
                    fmt::format("cannot read {} {}: no program python3 in the folders of $PATH: "
                                "install Python 3.9 or later (package python3)",
                                format.name, file.string()));
    }
    return *python;
}

[[noreturn]] void refuse_end(const ForeignFormat& format, const std::filesystem::path& file,
                             const std::filesystem::path& python, const ProcessResult& result) {
    if (result.timed_out) {
        throw Error(ErrorKind::usage,
                    fmt::format("{}: it takes Python more than {} s to read {}: shorten it",
                                file.string(), kMostTime.count(), format.name));
    }
    const std::size_t shown = std::min(kShownOutput, result.output.size());
    const std::string end = one_line(result.output.substr(result.output.size() - shown));
    throw Error(
        ErrorKind::unavailable,
        fmt::format("cannot read {} {}: {} ended with {}: it takes Python 3.9 or later "
                    "with its standard library; it wrote: {}",
                    format.name, file.string(), python.string(), describe_end(result), end));
}

}  // namespace

Json read_in_python(const ForeignFormat& format, const std::filesystem::path& file,
                    const std::string& text) {
    const std::filesystem::path python = python_program(format, file);
    const TempDir folder;
    for (const embedded::File& module : embedded::t1_modules) {
        static_cast<void>(folder.write(
            std::string("t1/").append(std::filesystem::path(module.name).filename()), module.text));
    }
    // The program inherits no open files, of which this may be one: /dev/fd/63.
    const std::filesystem::path copy = folder.write("input.json", text);
    const std::filesystem::path answer = folder.path() / "answer.json";
    // -I and -S: without settings, packages and folders of the user; -B: no compiled modules.
    const ProcessResult result =
        run_process({.program = python,
                     .arguments = {"-I", "-S", "-B", "-X", "utf8", "-c",
                                   fmt::format(fmt::runtime(kStart), format.module), folder.path(),
                                   "--name=" + file.string(), "--answer=" + answer.string(), copy},
                     .environment = {},
                     .timeout = kMostTime});
    if (!result.succeeded()) {
        refuse_end(format, file, python, result);
    }
    std::error_code missing;
    if (!std::filesystem::exists(answer, missing)) {
        refuse_end(format, file, python, result);
    }
    Json document = read_json(answer);
    if (find_member(document, "error") != nullptr) {
        throw Error(ErrorKind::usage, text_member(document, "error"));
    }
    return document;
}

void refuse_answer(const ForeignFormat& format, const std::filesystem::path& file) {
    throw Error(ErrorKind::unavailable,
                fmt::format("cannot read {} {}: the program python3 of $PATH gave no answer that "
                            "jitune knows: see which program it is",
                            format.name, file.string()));
}

}  // namespace jitune::internal
