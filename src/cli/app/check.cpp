// SPDX-License-Identifier: Apache-2.0
// `jitune check`: what can be said of a kernel of one's own without a GPU.
#include <algorithm>
#include <filesystem>
#include <span>

#include <fmt/ranges.h>

#include "check/finding.hpp"
#include "check/template_check.hpp"
#include "cli/app/check_devices.hpp"
#include "cli/app/common_options.hpp"
#include "cli/families/kernel_arguments.hpp"
#include "cli/families/template_arguments.hpp"
#include "cli/formats/t1.hpp"
#include "cli/formats/table.hpp"
#include "families/own/fill_data.hpp"
#include "text/units.hpp"
#include "tuning/search/compile_programs.hpp"

namespace jitune::internal::check_command {

namespace {

/// The check of one problem of a template.
struct CheckedProblem {
    std::string name;  ///< "matmul element=float32 m=4096 n=4096 k=4096"
    std::vector<DeviceCheck> devices;
};

using Rows = std::vector<const CheckedConfiguration*>;

std::string level_text(Finding::Level level) {
    return level == Finding::Level::error ? "error" : "warning";
}

std::string finding_text(const Finding& finding) {
    std::string text =
        fmt::format("{}: {}: {}\n", finding.place, level_text(finding.level), finding.text);
    if (!finding.excerpt.empty()) {
        text += finding.excerpt + "\n";
    }
    if (finding.configurations > 0) {
        text += fmt::format(
            "    {} on {}, as {}\n",
            count_text(static_cast<std::int64_t>(finding.configurations), "configuration"),
            fmt::join(finding.devices, ", "), finding.example);
    } else if (!finding.devices.empty()) {
        text += fmt::format("    on {}\n", fmt::join(finding.devices, ", "));
    }
    return text;
}

std::string share_text(double share) {
    return fmt::format("{:.0f} %", 100 * share);
}

std::string effects_text(const SpaceReport& space) {
    std::string text;
    for (const ConstraintEffect& effect : space.effects) {
        const std::string removed =
            !effect.removed ? "?"
                            : fmt::format("{:.0f} ({})", *effect.removed,
                                          share_text(*effect.removed / space.combinations));
        text += fmt::format("    {} removes {:>16}: {}\n",
                            effect.is_prune ? "prune     " : "constraint", removed, effect.text);
    }
    return text;
}

/// The rows whose resources are known, most occupancy first.
Rows by_occupancy(const DeviceCheck& device) {
    Rows rows;
    for (const CheckedConfiguration& row : device.configurations) {
        if (row.occupancy) {
            rows.push_back(&row);
        }
    }
    std::stable_sort(rows.begin(), rows.end(), [](const auto* a, const auto* b) {
        return a->occupancy->share > b->occupancy->share;
    });
    return rows;
}

/// The rows that spill, the worst first.
Rows by_spills(const DeviceCheck& device) {
    Rows rows;
    const auto spills = [](const CheckedConfiguration& row) {
        return row.resources ? row.resources->spill_store_bytes + row.resources->spill_load_bytes
                             : 0;
    };
    for (const CheckedConfiguration& row : device.configurations) {
        if (spills(row) > 0) {
            rows.push_back(&row);
        }
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [&](const auto* a, const auto* b) { return spills(*a) > spills(*b); });
    return rows;
}

std::string table_text(const std::string& title, const Rows& rows, std::size_t most) {
    if (rows.empty()) {
        return "";
    }
    std::vector<Table::Cells> cells;
    for (const CheckedConfiguration* row : rows) {
        if (most != 0 && cells.size() == most) {
            break;
        }
        const KernelResources& used = *row->resources;
        cells.push_back({row->occupancy ? share_text(row->occupancy->share) : "?",
                         row->occupancy ? row->occupancy->limit : "?",
                         row->occupancy ? std::to_string(row->occupancy->blocks_per_sm) : "?",
                         std::to_string(row->threads), std::to_string(used.registers),
                         std::to_string(used.shared_bytes + row->dynamic_bytes),
                         fmt::format("{} + {}", used.spill_store_bytes, used.spill_load_bytes),
                         row->configuration});
    }
    const std::string shown =
        cells.size() < rows.size() ? fmt::format(" ({} of {})", cells.size(), rows.size()) : "";
    return fmt::format("  {}{}\n", title, shown) + Table::text({{"  occupancy", Align::right},
                                                                {"limit"},
                                                                {"blocks/SM", Align::right},
                                                                {"threads", Align::right},
                                                                {"registers", Align::right},
                                                                {"shared bytes", Align::right},
                                                                {"spills", Align::right},
                                                                {"configuration"}},
                                                               cells, kWhole);
}

/// Names the source of the default: "line 27, when n <= 4096".
std::string source_of_default(const DeviceCheck& device) {
    if (device.rule_line == 0) {
        return "no table answers";
    }
    return fmt::format("line {}{}{}", device.rule_line, device.rule_when.empty() ? "" : ", when ",
                       device.rule_when);
}

std::string default_text(const DeviceCheck& device) {
    return device.standard.empty()
               ? ""
               : fmt::format("    default ({}): {}\n", source_of_default(device), device.standard);
}

std::string device_text(const DeviceCheck& device, std::size_t rows) {
    const auto& all = device.configurations;
    const auto compiled =
        std::count_if(all.begin(), all.end(), [](const auto& row) { return row.is_compiled; });
    std::string text =
        fmt::format("{} ({}): {:.0f} combinations, {} legal; {} of them compiled, {} failed\n",
                    device.device.id, device.device.name, device.space.combinations,
                    device.space.legal, compiled, all.size() - static_cast<std::size_t>(compiled));
    text += effects_text(device.space) + default_text(device);
    text += table_text("by occupancy", by_occupancy(device), rows);
    return text +
           table_text("worst spills, bytes stored + loaded by a thread", by_spills(device), rows);
}

Json row_json(const CheckedConfiguration& row) {
    Json json{{"configuration", row.configuration},
              {"compiled", row.is_compiled},
              {"threads", row.threads},
              {"dynamic_shared_bytes", row.dynamic_bytes}};
    if (row.resources) {
        json["registers"] = row.resources->registers;
        json["shared_bytes"] = row.resources->shared_bytes;
        json["stack_bytes"] = row.resources->stack_bytes;
        json["spill_store_bytes"] = row.resources->spill_store_bytes;
        json["spill_load_bytes"] = row.resources->spill_load_bytes;
    }
    if (row.occupancy) {
        json["occupancy"] = json_number(row.occupancy->share);
        json["blocks_per_sm"] = row.occupancy->blocks_per_sm;
        json["limit"] = row.occupancy->limit;
    }
    return json;
}

Json device_json(const DeviceCheck& device) {
    Json json{{"device", device.device.id},
              {"device_name", device.device.name},
              {"combinations", json_number(device.space.combinations)},
              {"legal", device.space.legal},
              {"default", device.standard},
              {"default_line", device.rule_line},
              {"constraints", Json::array()},
              {"configurations", Json::array()}};
    for (const ConstraintEffect& effect : device.space.effects) {
        json["constraints"].push_back(
            {{"text", effect.text},
             {"prune", effect.is_prune},
             {"removed", effect.removed ? json_number(*effect.removed) : Json(nullptr)}});
    }
    for (const CheckedConfiguration& row : device.configurations) {
        json["configurations"].push_back(row_json(row));
    }
    return json;
}

/// The checks in words, for people. `rows` is the number of rows of each table of configurations;
/// 0: all.
std::string check_text(const std::vector<CheckedProblem>& problems,
                       std::span<const Finding> findings, std::size_t rows) {
    std::string text;
    for (const CheckedProblem& problem : problems) {
        text += problem.name + "\n";
        for (const DeviceCheck& device : problem.devices) {
            text += device_text(device, rows);
        }
    }
    for (const Finding& finding : findings) {
        text += finding_text(finding);
    }
    const auto errors = std::count_if(findings.begin(), findings.end(), [](const Finding& one) {
        return one.level == Finding::Level::error;
    });
    return text + fmt::format("{}, {}\n", count_text(errors, "error"),
                              count_text(std::ssize(findings) - errors, "warning"));
}

/// The checks as JSON, with a row for each configuration.
Json check_json(const std::string& file, const std::vector<CheckedProblem>& problems,
                std::span<const Finding> findings) {
    Json json{{"file", file}, {"problems", Json::array()}, {"findings", Json::array()}};
    for (const CheckedProblem& problem : problems) {
        Json devices = Json::array();
        for (const DeviceCheck& device : problem.devices) {
            devices.push_back(device_json(device));
        }
        json["problems"].push_back({{"problem", problem.name}, {"devices", std::move(devices)}});
    }
    for (const Finding& finding : findings) {
        json["findings"].push_back({{"level", level_text(finding.level)},
                                    {"place", finding.place},
                                    {"text", finding.text},
                                    {"excerpt", finding.excerpt},
                                    {"configurations", finding.configurations},
                                    {"example", finding.example},
                                    {"devices", finding.devices}});
    }
    return json;
}

struct Arguments : CommonArguments, TemplateArguments {
    std::string architectures;
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
    arguments.look_into_file();
    const TemplateFile file = template_of(arguments);
    const KernelTemplate& kernel = file.kernel;
    CheckDevices devices(kernel.front_matter().platform, arguments.options());
    const std::vector<CheckDevice> targets = devices.of(arguments.architectures);
    std::vector<Finding> findings = unused_names(kernel, arguments.is_t1() ? kT1Size : "");
    std::vector<CheckedProblem> problems;
    for (const auto& types : usual_kernel_types(kernel, parse_kernel_types(arguments.types))) {
        const Problem problem = usual_problem(arguments, kernel, types);
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
    print_either(arguments.json, check_json(arguments.path(), problems, findings),
                 check_text(problems, findings, arguments.rows));
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
             given.input_option(),
             {"--arch", &given.architectures,
              "Architectures to compile for, separated by commas, or host [sm_75 to sm_120]"},
             given.size_option(" [4096 each]"),
             given.type_option(" [each of the first]"),
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
