// SPDX-License-Identifier: Apache-2.0
// `jitune check`: what can be said of a kernel of one's own without a GPU.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "backend/platform_table.hpp"
#include "check/compiler_log.hpp"
#include "check/unused_names.hpp"
#include "cli/check_text.hpp"
#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/exit_code.hpp"
#include "cli/kernel_arguments.hpp"
#include "cli/output.hpp"
#include "families/own/kernel_file.hpp"
#include "tuning/compile_programs.hpp"
#include "worker/compiler_pool.hpp"

namespace jitune::internal::check_command {

namespace {

struct Arguments : CommonArguments {
    std::string file;
    std::string architectures;
    std::vector<std::string> sizes;
    std::vector<std::string> types;
    std::vector<std::string> compile_options;
    std::size_t sample = 24;
    std::size_t rows = 5;
};

constexpr std::int64_t kUsualSize = 4096;

/// A device for each architecture that was asked for, or the usual ones of the platform.
class CheckDevices {
public:
    CheckDevices(PlatformKind platform, const Options& options)
        : platform_(platform),
          log_(options.log_level, options.log_sink),
          pool_("/proc/self/exe", log_) {
        if (const MakeInspector make = inspector_maker(platform)) {
            inspector_ = make();
        }
    }

    std::vector<CheckDevice> of(const std::string& architectures) {
        if (platform_ == PlatformKind::host) {
            return {host(architectures)};
        }
        const MakeCompiler make = compiler_maker(platform_);
        if (inspector_ == nullptr || make == nullptr) {
            throw Error(ErrorKind::unavailable,
                        fmt::format("check: this build of jitune has no compiler for {}",
                                    to_string(platform_)));
        }
        const CompileFor here = make();
        std::vector<CheckDevice> devices;
        for (const std::string& name : names_of(architectures)) {
            const auto info = inspector_->device(name);
            if (!info) {
                throw Error(ErrorKind::usage,
                            fmt::format("--arch: unknown architecture \"{}\"; use one or more of "
                                        "{}, separated by commas",
                                        name, fmt::join(inspector_->architectures(), ", ")));
            }
            devices.push_back({*info,
                               [this, here](const DeviceInfo& device, const TemplateSource& source,
                                            std::span<const Instance> instances) {
                                   return pool_.compile(here, device, source, instances);
                               },
                               inspector_});
        }
        return devices;
    }

    /// The host, with its compiler.
    CheckDevice host(const std::string& architectures = {}) {
        if (!architectures.empty() && architectures != to_string(PlatformKind::host)) {
            throw Error(
                ErrorKind::usage,
                fmt::format("--arch: the template is for the host, not for \"{}\"", architectures));
        }
        for (const PlatformEntry& entry : platforms()) {
            if (entry.kind == PlatformKind::host && host_ == nullptr) {
                host_ = entry.make(log_);
            }
        }
        Device& device = host_->device(0);
        return {device.info(), [&device](const DeviceInfo&, const TemplateSource& source,
                                         std::span<const Instance> instances) {
                    return device.compile(source, instances);
                }};
    }

private:
    [[nodiscard]] static std::vector<std::string> names_of(const std::string& list) {
        // Turing to Blackwell, without those of boards that are made for one purpose.
        std::string text = list.empty() ? "sm_75,sm_80,sm_86,sm_89,sm_90,sm_100,sm_120" : list;
        std::vector<std::string> names;
        for (std::size_t at = 0; at <= text.size();) {
            const std::size_t end = std::min(text.find(',', at), text.size());
            names.push_back(text.substr(at, end - at));
            at = end + 1;
        }
        return names;
    }

    PlatformKind platform_;
    Log log_;
    CompilerPool pool_;
    std::shared_ptr<const KernelInspector> inspector_;
    std::unique_ptr<Platform> host_;
};

/// The sizes that were given, and kUsualSize for the others.
std::vector<std::int64_t> sizes_of(const KernelTemplate& kernel, std::vector<std::string> words) {
    for (const std::string& name : kernel.front_matter().sizes) {
        const bool is_given = std::any_of(words.begin(), words.end(), [&](const std::string& word) {
            return word.starts_with(name + "=");
        });
        if (!is_given) {
            words.push_back(fmt::format("{}={}", name, kUsualSize));
        }
    }
    return parse_kernel_sizes(kernel, words);
}

/// The types that were given. Of those that were not, all names of the first that has names; the
/// others take the same name where they have it, else their own first.
std::vector<std::map<std::string, std::string>> types_of(
    const KernelTemplate& kernel, const std::map<std::string, std::string>& given) {
    const auto& types = kernel.front_matter().types;
    const auto open = std::find_if(types.begin(), types.end(), [&](const auto& type) {
        return !given.contains(type.first) && type.second.size() > 1 &&
               !kernel.front_matter().ranges.contains(type.first);
    });
    std::vector<std::map<std::string, std::string>> result;
    for (const auto& [name, text] :
         open == types.end() ? std::map<std::string, std::string>{{"", ""}} : open->second) {
        result.push_back(given);
        for (const auto& [type, names] : types) {
            result.back().emplace(type, names.contains(name) ? name : names.begin()->first);
        }
    }
    return result;
}

/// What the reference needs beside the template.
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
    for (const auto& [output, npy] : reference->files) {
        if (std::error_code error; !std::filesystem::is_regular_file(folder / npy, error)) {
            add_finding(findings, {Finding::Level::error, name,
                                   fmt::format("[reference] names {}, which is not there",
                                               (folder / npy).string()),
                                   ""});
        }
    }
    if (reference->kind != ReferenceSpec::Kind::host) {
        return;
    }
    const std::string place = fmt::format("{}:{}", name, reference->launch.line);
    if (file.host.text.empty()) {
        add_finding(findings, {Finding::Level::error, place,
                               "the host reference must stand between #ifdef JITUNE_HOST and "
                               "#endif",
                               ""});
        return;
    }
    const CheckDevice host = devices.host();
    const Instance instance = file.kernel.host_reference(problem);
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
    }
}

int run(const Arguments& arguments) {
    const TemplateFile file = template_from_file(arguments.file, arguments.compile_options);
    const KernelTemplate& kernel = file.kernel;
    CheckDevices devices(kernel.front_matter().platform, arguments.options());
    const std::vector<CheckDevice> targets = devices.of(arguments.architectures);
    const std::vector<std::int64_t> sizes = sizes_of(kernel, arguments.sizes);
    std::vector<Finding> findings = unused_names(kernel);
    std::vector<CheckedProblem> problems;
    for (const auto& types : types_of(kernel, parse_kernel_types(arguments.types))) {
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
            check_reference(file, problem, std::filesystem::path(arguments.file).parent_path(),
                            devices, findings);
        }
    }
    if (arguments.json) {
        print_json(check_json(arguments.file, problems, findings));
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
    return {{{"FILE", &given.file, "Kernel template: a .cu or .host.cpp file", {.required = true}},
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
             {"--option", &given.compile_options, "An option for the compiler, as --use_fast_math"},
             given.log_option(),
             given.json_option()},
            [arguments] { return run(*arguments); }};
}

}  // namespace jitune::internal::check_command
