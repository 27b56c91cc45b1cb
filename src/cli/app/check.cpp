// SPDX-License-Identifier: Apache-2.0
// `jitune check`: what can be said of a kernel of one's own without a GPU.
#include <algorithm>
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "check/compiler_log.hpp"
#include "check/launch_arguments.hpp"
#include "check/unused_names.hpp"
#include "cli/app/check_devices.hpp"
#include "cli/app/check_text.hpp"
#include "cli/app/command.hpp"
#include "cli/app/common_options.hpp"
#include "cli/app/exit_code.hpp"
#include "cli/app/output.hpp"
#include "cli/families/kernel_arguments.hpp"
#include "cli/families/template_arguments.hpp"
#include "cli/families/usual_problem.hpp"
#include "cli/formats/t1.hpp"
#include "families/own/fill_data.hpp"
#include "tuning/search/compile_programs.hpp"

namespace jitune::internal::check_command {

namespace {

struct Arguments : CommonArguments, TemplateArguments {
    std::string architectures;
    std::vector<std::string> sizes;
    std::vector<std::string> types;
    std::size_t sample = 24;
    std::size_t rows = 5;
};

/// Compiles the host function of the reference, and compares its parameters with what it is given.
void check_host_reference(const TemplateFile& file, const Problem& problem, CheckDevices& devices,
                          std::vector<Finding>& findings) {
    const LaunchSpec& launch = file.kernel.front_matter().reference->launch;
    const std::string place = fmt::format("{}:{}", file.kernel.source().name, launch.line);
    if (file.host.text.empty()) {
        add_finding(findings, {Finding::Level::error, place,
                               "the host reference must stand between #ifdef JITUNE_HOST and "
                               "#endif",
                               ""});
        return;
    }
    const CheckDevice host = devices.host();
    Instance instance = file.kernel.host_reference(problem);
    const std::vector<std::string> more = host.inspector->options();
    instance.options.insert(instance.options.end(), more.begin(), more.end());
    const auto outcomes = compile_programs(
        [&](const TemplateSource& source, std::span<const Instance> instances) {
            return host.compile(host.info, source, instances);
        },
        file.host, std::span(&instance, 1));
    if (const auto* failure = std::get_if<CompileFailure>(&outcomes.front())) {
        std::vector<Finding> found = read_compiler_log(failure->log);
        if (found.empty()) {
            found = {{Finding::Level::error, place, failure->log, ""}};
        }
        for (Finding& finding : found) {
            add_finding(findings, std::move(finding));
        }
        return;
    }
    const auto& binary = std::get<Binary>(outcomes.front());
    if (const auto parameters = host.inspector->parameters(binary, binary.symbols.front())) {
        if (std::string flaw = flaw_of_arguments(file.kernel, problem, launch, *parameters);
            !flaw.empty()) {
            add_finding(findings, {Finding::Level::error, place, std::move(flaw), ""});
        }
    }
}

/// Checks the files and the host function that the reference names.
void check_reference(const TemplateFile& file, const Problem& problem,
                     const std::filesystem::path& folder, CheckDevices& devices,
                     std::vector<Finding>& findings) {
    const auto& reference = file.kernel.front_matter().reference;
    const std::string& name = file.kernel.source().name;
    if (!reference) {
        add_finding(findings, {Finding::Level::warning, name,
                               "there is no [reference], without which nothing is tuned", ""});
        return;
    }
    for (const auto& [output, file_name] : reference->files) {
        const std::string npy = named_file(file_name, file.kernel.front_matter(), problem);
        if (std::error_code error; !std::filesystem::is_regular_file(folder / npy, error)) {
            add_finding(findings, {Finding::Level::error, name,
                                   fmt::format("[reference] names {}, which is not there",
                                               (folder / npy).string()),
                                   ""});
        }
    }
    if (reference->kind == ReferenceSpec::Kind::host) {
        check_host_reference(file, problem, devices, findings);
    }
}

int run(Arguments& arguments) {
    arguments.look_into_file(
        {{"--size", !arguments.sizes.empty()}, {"--type", !arguments.types.empty()}});
    const TemplateFile file = template_of(arguments);
    const KernelTemplate& kernel = file.kernel;
    CheckDevices devices(kernel.front_matter().platform, arguments.options());
    const std::vector<CheckDevice> targets = devices.of(arguments.architectures);
    const std::vector<std::int64_t> sizes =
        arguments.is_t1() ? t1_sizes() : usual_kernel_sizes(kernel, arguments.sizes);
    std::vector<Finding> findings = unused_names(kernel, arguments.is_t1() ? kT1Size : "");
    std::vector<CheckedProblem> problems;
    for (const auto& types : usual_kernel_types(kernel, parse_kernel_types(arguments.types))) {
        const Problem problem = kernel_problem(kernel, sizes, types);
        TemplateCheck check = check_template(kernel, problem, targets, arguments.sample);
        for (Finding& finding : check.findings) {
            add_finding(findings, std::move(finding));
        }
        const std::string words = readable_types(types_text(problem));
        problems.push_back({fmt::format("{} {}{}", problem.kernel, words.empty() ? "" : words + " ",
                                        sizes_text(problem, kernel.front_matter().sizes)),
                            std::move(check.devices)});
        if (problems.size() == 1) {
            check_reference(file, problem, std::filesystem::path(arguments.path()).parent_path(),
                            devices, findings);
        }
    }
    if (arguments.json) {
        print_json(check_json(arguments.path(), problems, findings));
    } else {
        print(check_text(problems, findings, arguments.rows));
    }
    const bool has_error = std::any_of(findings.begin(), findings.end(), [](const Finding& one) {
        return one.level == Finding::Level::error;
    });
    return has_error ? kExitFailed : kExitOk;
}

}  // namespace

Invocation invocation() {
    auto arguments = std::make_shared<Arguments>();
    Arguments& given = *arguments;
    return {{given.file_option(),
             given.input_option({"--size", "--type"}),
             {"--arch", &given.architectures,
              "Architectures to compile for, separated by commas, or host [sm_75 to sm_120]"},
             {"--size", &given.sizes, "A size of the problem, NAME=SIZE, as in n=2^24 [4096 each]"},
             {"--type", &given.types,
              "A type of the problem, NAME=TYPE, as in element=float32 [each of the first]"},
             {"--sample",
              &given.sample,
              "Most configurations to compile for each architecture; 0: all [24]",
              {.range = kEvaluations}},
             {"--rows",
              &given.rows,
              "Rows of each table of configurations; 0: all [5]",
              {.range = kEvaluations}},
             given.compile_option(),
             given.log_option(),
             given.json_option()},
            [arguments] { return run(*arguments); }};
}

}  // namespace jitune::internal::check_command
