// SPDX-License-Identifier: Apache-2.0
// `jitune db rules`: tables [[default]] for a template, from what the database has measured.
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include <fmt/ranges.h>

#include "backend/platform_table.hpp"
#include "cli/app/common_options.hpp"
#include "cli/db/rules_report.hpp"
#include "cli/db/winner_filter.hpp"
#include "cli/families/template_arguments.hpp"
#include "families/families.hpp"
#include "families/own/kernel_file.hpp"
#include "measure/statistics.hpp"
#include "rules/measured_losses.hpp"
#include "support/embedded.hpp"
#include "support/settings.hpp"
#include "template/template_headers.hpp"
#include "text/winner_text.hpp"
#include "tuning/finals/finalist.hpp"

namespace jitune::internal::db_rules_command {

namespace {

constexpr std::size_t kUsualRules = 8;
constexpr std::size_t kMostRules = 12;  // that a template may have

struct Arguments : CommonArguments, TemplateArguments {
    WinnerFilter filter;
    std::size_t rules = kUsualRules;
};

/// The template of the file, or those of the built-in kernel, one for each platform.
std::vector<KernelTemplate> templates_of(const Arguments& arguments) {
    const std::string& kernel = arguments.filter.kernel;
    if (arguments.file.empty() == kernel.empty()) {
        throw Error(ErrorKind::usage,
                    "name either a kernel template, FILE, or a built-in kernel with --kernel, "
                    "such as reduce");
    }
    std::vector<KernelTemplate> result;
    if (!arguments.file.empty()) {
        result.push_back(template_from_file(arguments.file, arguments.compile_options).kernel);
        return result;
    }
    std::set<std::string_view> known;
    for (const embedded::File& file : embedded::kernel_templates) {
        if (const std::string_view name = kernel_of_template(file.name); !name.empty()) {
            known.insert(name);
            if (name == kernel) {
                result.emplace_back(builtin_template(file.name));
            }
        }
    }
    if (result.empty()) {
        throw Error(ErrorKind::usage,
                    fmt::format("--kernel: no built-in kernel is called \"{}\": use one of {}, or "
                                "name the FILE of a kernel of your own",
                                kernel, fmt::join(known, ", ")));
    }
    return result;
}

/// The problem of a measurement; nothing if it does not fit the template.
std::optional<Problem> problem_of(const KernelTemplate& kernel, const Measurement& measurement) {
    const auto sizes = exact_sizes(measurement.sizes);
    Problem problem;
    problem.kernel = measurement.key.kernel;
    problem.alignment = measurement.key.alignment;
    for (const std::string_view setting : settings_of(measurement.key.types)) {
        problem.types.emplace(setting.substr(0, setting.find('=')), value_of_setting(setting));
    }
    problem.sizes = sizes.value_or(Sizes{});
    try {
        kernel.check(problem);
    } catch (const Error&) {
        return std::nullopt;
    }
    return problem;
}

/// The medians of a configuration at a problem.
struct Medians {
    std::vector<double>
        raced_ns;  ///< of the finals and of comparisons: if there are any, they count
    std::vector<double> searched_ns;
};

/// The measurements of the template under these keys, problem by problem.
std::vector<MeasuredProblem> measured_problems(const KernelTemplate& kernel,
                                               StoredMeasurements& measurements,
                                               const std::vector<RecordKey>& keys) {
    using Place = std::tuple<std::string, std::string, std::int64_t, Sizes>;
    std::map<Place, std::pair<MeasuredProblem, std::map<std::string, Medians>>> found;
    for (const RecordKey& key : keys) {
        for (const Measurement& one : measurements.of(key)) {
            const auto problem =
                one.verdict == Verdict::timed ? problem_of(kernel, one) : std::nullopt;
            const Conditions::Phase phase = phase_of(one);
            if (!problem || phase == Conditions::Phase::study) {
                continue;
            }
            auto& [here, medians] =
                found[{key.types, key.device_class, key.alignment, problem->sizes}];
            here.problem = *problem;
            here.device_class = key.device_class;
            Medians& its = medians[one.configuration];
            (phase == Conditions::Phase::search ? its.searched_ns : its.raced_ns)
                .push_back(summarize(one.samples_ns).median_ns);
        }
    }
    std::vector<MeasuredProblem> result;
    for (auto& [place, pair] : found) {
        auto& [here, medians] = pair;
        for (auto& [configuration, its] : medians) {
            here.times_ns.emplace(configuration,
                                  median_of(its.raced_ns.empty() ? its.searched_ns : its.raced_ns));
        }
        result.push_back(std::move(here));
    }
    return result;
}

/// The device of a class: as the class describes it, else a device of this machine.
std::optional<DeviceInfo> device_of(PlatformKind platform, const std::string& device_class,
                                    Options options) {
    if (const MakeInspector make = platform_entry(platform).make_inspector) {
        if (auto info = make()->device_of_class(device_class)) {
            return info;
        }
    }
    options.database.clear();
    Engine engine(options, families());
    if (runs_placements(platform)) {
        const DeviceInfo& info = engine.device(to_string(platform)).info();
        return info.device_class == device_class ? std::optional(info) : std::nullopt;
    }
    for (const DeviceDescription& one : engine.devices()) {
        if (one.device_class == device_class) {
            return engine.device(one.id).info();
        }
    }
    return std::nullopt;
}

/// The devices of the problems. Leaves out, with a warning, problems of devices that nothing tells
/// of.
std::map<std::string, DeviceInfo> devices_of(const KernelTemplate& kernel,
                                             std::vector<MeasuredProblem>& problems,
                                             const Options& options) {
    std::map<std::string, DeviceInfo> devices;
    std::set<std::string> classes;
    for (const MeasuredProblem& one : problems) {
        classes.insert(one.device_class);
    }
    for (const std::string& device_class : classes) {
        if (auto info = device_of(kernel.front_matter().platform, device_class, options)) {
            devices.emplace(device_class, *std::move(info));
            continue;
        }
        Log(options.log_level, options.log_sink)
            .warning(
                "{}: nothing tells of devices of the class \"{}\", and this machine has none: "
                "their problems are left out",
                kernel.source().name, device_class);
    }
    std::erase_if(problems,
                  [&](const MeasuredProblem& one) { return !devices.contains(one.device_class); });
    return devices;
}

/// The reason why no rules can be learned.
[[noreturn]] void refuse(const Arguments& arguments, const std::vector<KernelTemplate>& templates,
                         const std::vector<StoredMeasurements::Key>& keys,
                         const std::string& database) {
    const std::string& kernel = templates.front().front_matter().kernel;
    std::vector<std::string> names;
    std::set<std::string> hashes;
    for (const KernelTemplate& one : templates) {
        names.push_back(one.source().name);
        hashes.insert(one.hash());
    }
    bool is_of_kernel = false;
    bool is_of_hash = false;
    for (const auto& [key, count] : keys) {
        is_of_kernel = is_of_kernel || key.kernel == kernel;
        is_of_hash = is_of_hash || (key.kernel == kernel && hashes.contains(key.template_hash));
    }
    const std::string what =
        fmt::format("{}: no measurements of {}", database, fmt::join(names, " or "));
    const std::string advice = fmt::format(
        "take some with jitune sweep {}, or with the program bench/untuned of jitune's sources",
        arguments.file.empty() ? "reduce, stencil or entropy" : arguments.file);
    if (is_of_hash) {
        const std::string given = arguments.filter.given();
        throw Error(ErrorKind::usage,
                    given.empty()
                        ? fmt::format("{} can be used: {}", what, advice)
                        : fmt::format("{} have timed a configuration and match {}: leave a "
                                      "filter out, or {}",
                                      what, given, advice));
    }
    throw Error(ErrorKind::usage,
                is_of_kernel
                    ? fmt::format("{} as it is now: those of the kernel {} were measured under "
                                  "another version of the template, or with other options for the "
                                  "compiler; {}",
                                  what, kernel, advice)
                    : fmt::format("{}; {}", what, advice));
}

int run(const Arguments& arguments) {
    const std::vector<KernelTemplate> templates = templates_of(arguments);
    const Options options = arguments.options();
    const auto store = open_database(options);
    const std::vector<StoredMeasurements::Key> keys = store->measurements().keys();
    WinnerFilter filter = arguments.filter;
    std::string text;
    Json json = Json::array();
    for (const KernelTemplate& kernel : templates) {
        filter.kernel = kernel.front_matter().kernel;
        std::vector<RecordKey> wanted;
        for (const auto& [key, count] : keys) {
            if (key.template_hash == kernel.hash() && filter.matches(key)) {
                wanted.push_back(key);
            }
        }
        std::vector<MeasuredProblem> problems =
            measured_problems(kernel, store->measurements(), wanted);
        const auto devices = devices_of(kernel, problems, options);
        if (problems.empty()) {
            continue;
        }
        LossTable table = losses_of(kernel, problems, devices);
        RuleQuestions questions = questions_of(kernel, problems);
        RuleStudy study = study_rules(table, questions, arguments.rules);
        const ProposedRules proposed{kernel, std::move(table), std::move(questions),
                                     std::move(study)};
        json.push_back(rules_report_json(proposed));
        text += (text.empty() ? "" : "\n") + rules_report(proposed, arguments.table_width());
    }
    if (json.empty()) {
        refuse(arguments, templates, keys, options.database.string());
    }
    print_either(arguments.json,
                 {{"path", options.database.string()}, {"templates", std::move(json)}}, text);
    return kExitOk;
}

}  // namespace

Invocation invocation() {
    return invocation_of<Arguments>(run, [](Arguments& given) {
        std::vector<Option> options{
            {"FILE", &given.file, "Kernel template of your own: a .cu or .host.cpp file"}};
        append(options, given.filter.key_options());
        append(options, {{"--rules",
                          &given.rules,
                          "The most tables to propose [8]",
                          {.range = std::pair<std::size_t, std::size_t>{1, kMostRules}}},
                         given.compile_option(),
                         given.verbose_option()});
        append(options, given.CommonArguments::usual_options());
        return options;
    });
}

}  // namespace jitune::internal::db_rules_command
