// SPDX-License-Identifier: Apache-2.0
#include "backend/host/host_compiler.hpp"

#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "backend/host/host_program.hpp"
#include "jitune/error.hpp"
#include "support/file_facts.hpp"
#include "support/process.hpp"
#include "support/temp_dir.hpp"
#include "support/text_file.hpp"

namespace jitune::internal {

namespace {

std::string variable(const char* name) {
    const char* value = ::secure_getenv(name);
    return value != nullptr ? value : "";
}

std::filesystem::path find_compiler() {
    if (const std::string wanted = variable("JITUNE_CXX"); !wanted.empty()) {
        if (const auto program = find_program(wanted)) {
            return *program;
        }
        throw Error(ErrorKind::unavailable,
                    fmt::format("JITUNE_CXX=\"{}\": no such program; give the name or path of a "
                                "C++ compiler, without arguments",
                                wanted));
    }
    for (const std::string& name :
         {variable("CXX"), std::string("c++"), std::string("g++"), std::string("clang++")}) {
        if (const auto program = find_program(name)) {
            return *program;
        }
    }
    throw Error(ErrorKind::unavailable,
                "host backend: no C++ compiler found (tried $JITUNE_CXX, $CXX, c++, g++ and "
                "clang++); install g++ or set JITUNE_CXX to a compiler's path");
}

std::string first_line(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

// Long for a compiler that says its name, short for a call that waits for it.
constexpr std::chrono::milliseconds kVersionTime{5000};

std::string version_of(const std::filesystem::path& program, std::chrono::milliseconds timeout,
                       const std::stop_token& stop) {
    const ProcessResult result = run_process({.program = program,
                                              .arguments = {"--version"},
                                              .environment = {"LC_ALL=C"},
                                              .timeout = timeout},
                                             stop);
    if (result.stopped) {
        throw CompileStopped();
    }
    if (!result.succeeded()) {
        throw Error(ErrorKind::unavailable,
                    fmt::format("{} --version: {}; set JITUNE_CXX to a C++ compiler that works",
                                program.string(), describe_end(result)));
    }
    return first_line(result.output);
}

constexpr const char* kThisCpu = "native";

std::string key_of(const std::filesystem::path& program) {
    return fmt::format("{} {} {}", program.string(), fmt::join(host_options(kThisCpu), " "),
                       file_stamp(program));
}

}  // namespace

/// Hidden symbols, so that no two images and no app share a template's functions; the warnings of
/// the template are its author's.
std::vector<std::string> host_options(std::string_view cpu) {
    std::vector<std::string> options{"-std=c++20", "-O3"};
    if (!cpu.empty()) {
        options.push_back(fmt::format("-march={}", cpu));
    }
    options.insert(options.end(), {"-fopenmp", "-fPIC", "-shared", "-fvisibility=hidden", "-w"});
    return options;
}

std::string host_compiler_key() {
    return key_of(find_compiler());
}

HostCompiler::HostCompiler(std::chrono::milliseconds timeout, const std::stop_token& stop)
    : timeout_(timeout),
      program_(find_compiler()),
      version_(version_of(program_, std::min(timeout, kVersionTime), stop)) {}

std::vector<std::string> HostCompiler::command(const TemplateSource& source,
                                               const std::vector<std::string>& options,
                                               const std::string& unit,
                                               const std::string& image) const {
    std::vector<std::string> all{program_.string()};
    const std::vector<std::string> own = host_options(kThisCpu);
    all.insert(all.end(), own.begin(), own.end());
    for (const std::string& folder : source.include_folders) {
        all.push_back("-I" + folder);
    }
    all.insert(all.end(), {"-o", image, unit});
    all.insert(all.end(), options.begin(), options.end());
    return all;
}

std::string HostCompiler::key() const {
    return key_of(program_);
}

std::vector<CompileOutcome> HostCompiler::compile(const TemplateSource& source,
                                                  std::span<const Instance> instances,
                                                  const std::stop_token& stop) const {
    return compile_together(instances, expression_objection, [&](std::span<const Instance> some) {
        return compile_once(source, some, stop);
    });
}

CompiledTogether HostCompiler::compile_once(const TemplateSource& source,
                                            std::span<const Instance> instances,
                                            const std::stop_token& stop) const {
    const TempDir directory;
    for (const auto& [name, text] : source.headers) {
        static_cast<void>(directory.write(name, text));
    }
    const std::string unit =
        directory.write("jitune_unit.cpp", translation_unit(source, instances)).string();
    const std::string image = (directory.path() / "jitune_unit.so").string();

    // The files that a killed compiler leaves are removed with the directory.
    std::vector<std::string> words = command(source, instances.front().options, unit, image);
    if (std::ranges::any_of(source.headers, [](const auto& header) {
            return header.first.find('/') != std::string::npos;
        })) {  // a header of a sub-folder names others as the unit does
        words.push_back("-iquote" + directory.path().string());
    }
    const ProcessResult result = run_process({program_,
                                              {words.begin() + 1, words.end()},
                                              {"LC_ALL=C", "TMPDIR=" + directory.path().string()},
                                              timeout_},
                                             stop);
    if (result.stopped) {
        throw CompileStopped();
    }
    const auto failed = [&](const std::string& log) {
        return std::vector<CompileOutcome>(instances.size(), CompileFailure{log});
    };
    if (!result.succeeded()) {
        return {failed(fmt::format("{}: {}\n{}", program_.string(), describe_end(result),
                                   result.output)),
                !result.timed_out && !result.flooded};
    }
    const auto bytes = std::make_shared<const std::string>(read_if_there(image));
    if (bytes->empty()) {
        return {failed(fmt::format("{}: success, but no output", program_.string()))};
    }
    CompiledTogether attempt;
    for (std::size_t i = 0; i < instances.size(); ++i) {
        Binary binary{"so", bytes, {}};
        for (std::size_t k = 0; k < instances[i].expressions.size(); ++k) {
            binary.symbols.push_back(entry_symbol(i, k));
        }
        attempt.outcomes.emplace_back(std::move(binary));
    }
    return attempt;
}

}  // namespace jitune::internal
