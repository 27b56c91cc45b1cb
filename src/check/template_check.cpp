// SPDX-License-Identifier: Apache-2.0
#include "check/template_check.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

constexpr const char* kReference = "[reference]";

/// The line of the front matter that holds the text; 0 if none does.
int line_of(const TemplateSource& source, const std::string& text) {
    const std::size_t at = source.text.find(text);
    return at == std::string::npos || text.empty()
               ? 0
               : 1 + static_cast<int>(
                         std::count(source.text.begin(),
                                    source.text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

/// The line that says what failed, of a log that names no place.
std::string main_line(const std::string& log) {
    const std::size_t error = std::min(log.find("error"), log.size());
    const std::size_t begin = log.rfind('\n', error);
    const std::size_t from = error == log.size() || begin == std::string::npos ? 0 : begin + 1;
    return log.substr(from, log.find('\n', from) - from);
}

/// The check of a template for one device.
class DeviceChecker {
public:
    DeviceChecker(const KernelTemplate& kernel, const Problem& problem, const CheckDevice& device,
                  std::vector<Finding>& findings)
        : kernel_(kernel), problem_(problem), device_(device), findings_(findings) {
        result_.device = device.info;
        result_.space = report_space(kernel, problem, device.info);
    }

    /// Adds what it wants compiled to `jobs`.
    void submit(CheckJobs& jobs, std::size_t most) {
        if (!result_.space.flaw.empty()) {
            note(place_of_flaw(), result_.space.flaw, "");
            return;
        }
        const SearchSpace space = kernel_.space(problem_, device_.info);
        const KernelTemplate::Default its = kernel_.default_of(problem_, device_.info, &space);
        const Configuration& standard = its.configuration;
        note_default(its);
        for (const Configuration& one : check_sample(
                 space, standard, kernel_.rule_configurations(problem_, device_.info), most)) {
            const Instance instance = kernel_.launched_instance(problem_, device_.info, one);
            places_.push_back(jobs.add(device_, with_options(instance)));
            instances_.push_back(instance);
            configurations_.push_back(one);
        }
        try {
            if (const auto reference = kernel_.reference(problem_, device_.info, standard)) {
                add_reference(jobs, reference->instance);
            }
        } catch (const Error& error) {  // its launch; that of the default says the same
            note(place(kernel_.front_matter().launches.front().line), error.what(),
                 standard.text());
        }
    }

    DeviceCheck take(const CheckJobs& jobs) {
        for (std::size_t i = 0; i < configurations_.size(); ++i) {
            const std::string text = configurations_[i].text();
            CheckedConfiguration row{text};
            const CompileOutcome& outcome = jobs.outcome(places_[i]);
            read_log(outcome, instances_[i], text);
            if (const auto* binary = std::get_if<Binary>(&outcome)) {
                row.is_compiled = true;
                look_at_launches(configurations_[i], *binary, row);
            }
            result_.configurations.push_back(std::move(row));
        }
        if (reference_place_) {
            const CompileOutcome& outcome = jobs.outcome(*reference_place_);
            read_log(outcome, reference_, kReference);
            if (const auto* binary = std::get_if<Binary>(&outcome)) {
                look_at_arguments(kernel_.front_matter().reference->launch, *binary, 0, kReference);
            }
        }
        return std::move(result_);
    }

private:
    void note_default(const KernelTemplate::Default& its) {
        result_.standard = its.configuration.text();
        if (its.rule != nullptr) {
            result_.rule_line = its.rule->line;
            result_.rule_when = its.rule->text;
        }
        for (const DefaultRule* const rule : its.passed_over) {
            add({Finding::Level::warning, place(rule->line),
                 "this [[default]] holds, but its values are no configuration of the space at "
                 "these sizes, so that it does not answer",
                 ""},
                "");
        }
    }

    void add_reference(CheckJobs& jobs, const Instance& instance) {
        const std::size_t found = jobs.add(device_, with_options(instance));
        if (std::find(places_.begin(), places_.end(), found) == places_.end()) {
            reference_place_ = found;
            reference_ = instance;
        }
    }

    [[nodiscard]] Instance with_options(Instance instance) const {
        if (device_.inspector != nullptr) {
            const std::vector<std::string> more = device_.inspector->options();
            instance.options.insert(instance.options.end(), more.begin(), more.end());
        }
        return instance;
    }

    [[nodiscard]] std::string place(int line) const {
        return line == 0 ? kernel_.source().name
                         : fmt::format("{}:{}", kernel_.source().name, line);
    }

    /// The line of the constraint that the flaw of the space names.
    [[nodiscard]] std::string place_of_flaw() const {
        for (const ConstraintEffect& effect : result_.space.effects) {
            if (result_.space.flaw.find("\"" + effect.text + "\"") != std::string::npos) {
                return place(line_of(kernel_.source(), "\"" + effect.text + "\""));
            }
        }
        return place(0);
    }

    void note(const std::string& place, const std::string& text, const std::string& configuration) {
        add({Finding::Level::error, place, text, ""}, configuration);
    }

    void add(Finding finding, const std::string& configuration) {
        finding.configurations = configuration.empty() ? 0 : 1;
        finding.example = configuration;
        finding.devices = {device_.info.id};
        add_finding(findings_, std::move(finding));
    }

    [[nodiscard]] bool is_own(const std::string& place) const {
        const auto is_in = [&](const std::string& name) { return place.starts_with(name + ":"); };
        const TemplateSource& source = kernel_.source();
        return is_in(source.name) ||
               std::any_of(source.headers.begin(), source.headers.end(),
                           [&](const auto& header) { return is_in(header.first); });
    }

    void read_log(const CompileOutcome& outcome, const Instance& instance,
                  const std::string& configuration) {
        const auto* failure = std::get_if<CompileFailure>(&outcome);
        const std::string log = failure != nullptr ? failure->log
                                : std::get<Binary>(outcome).log != nullptr
                                    ? *std::get<Binary>(outcome).log
                                    : "";
        bool has_error = false;
        for (Finding finding : read_compiler_log(log)) {
            const bool is_echo = has_error && finding.text.starts_with("Error in parsing name");
            has_error = has_error || finding.level == Finding::Level::error;
            if (is_echo || (finding.level == Finding::Level::warning && !is_own(finding.place))) {
                continue;
            }
            add(std::move(finding), configuration);
        }
        if (failure != nullptr && !has_error) {
            note(place(instance.lines.empty() ? 0 : instance.lines.front()), main_line(log),
                 configuration);
        }
    }

    void look_at_launches(const Configuration& configuration, const Binary& binary,
                          CheckedConfiguration& row) {
        try {
            const Launch launch = kernel_.launch_rule(problem_, device_.info, configuration)
                                      .plan(problem_.sizes)
                                      .launch;
            look_at_textures(launch, row.configuration);
            for (std::size_t i = 0; i < launch.step_count; ++i) {
                const LaunchStep& step = launch.steps.at(i);
                look_at_arguments(kernel_.front_matter().launches.at(step.entry), binary,
                                  step.entry, row.configuration);
                look_at_step(step, binary, row);
            }
        } catch (const Error& error) {
            note(place(kernel_.front_matter().launches.front().line), error.what(),
                 row.configuration);
        }
    }

    /// A launch has the textures of the arguments that have one, in their order.
    void look_at_textures(const Launch& launch, const std::string& configuration) {
        std::size_t next = 0;
        for (const ArgumentSpec& argument : kernel_.front_matter().arguments) {
            if (!argument.texture || device_.inspector == nullptr) {
                continue;
            }
            const std::string flaw = device_.inspector->flaw_of_texture(launch.textures.at(next++));
            if (!flaw.empty()) {
                note(place(argument.line),
                     fmt::format("the texture of {} has {}", argument.name, flaw), configuration);
            }
        }
    }

    /// Of the launch that calls the binary's symbol `entry`.
    void look_at_arguments(const LaunchSpec& launch, const Binary& binary, std::size_t entry,
                           const std::string& configuration) {
        const auto parameters =
            device_.inspector == nullptr
                ? std::nullopt
                : device_.inspector->parameters(binary, binary.symbols.at(entry));
        if (!parameters) {
            return;
        }
        if (const std::string flaw = flaw_of_arguments(kernel_, problem_, launch, *parameters);
            !flaw.empty()) {
            note(place(launch.line), flaw, configuration);
        }
    }

    /// Returns why the GPU cannot launch any kernel with this grid and cluster, or an empty text.
    [[nodiscard]] std::string flaw_of_grid(const LaunchStep& step) const {
        constexpr std::int64_t kMostAcross = 65535;
        constexpr std::int64_t kHasClusters = 90;
        const auto capability = device_.info.attributes.find("compute_capability");
        if (capability == device_.info.attributes.end()) {
            return {};
        }
        if (step.grid.y > kMostAcross || step.grid.z > kMostAcross) {
            return fmt::format("the grid is {} x {} x {}: y and z go up to {}", step.grid.x,
                               step.grid.y, step.grid.z, kMostAcross);
        }
        if (capability->second < kHasClusters && (step.cluster > 1 || step.programmatic != 0)) {
            return "clusters and programmatic launches need compute capability 9.0: add a "
                   "constraint";
        }
        return step.cluster > 1 && step.grid.x % step.cluster != 0
                   ? fmt::format("the grid of {} blocks is no multiple of the cluster of {}",
                                 step.grid.x, step.cluster)
                   : "";
    }

    void look_at_step(const LaunchStep& step, const Binary& binary, CheckedConfiguration& row) {
        const std::int64_t threads = std::int64_t{1} * step.block.x * step.block.y * step.block.z;
        const auto limit = [&](const char* name) {
            const auto found = device_.info.attributes.find(name);
            return found == device_.info.attributes.end() ? 0 : found->second;
        };
        const LaunchSpec& spec = kernel_.front_matter().launches.at(step.entry);
        const std::string at = place(spec.line);
        if (const auto most = limit("max_threads_per_block"); most > 0 && threads > most) {
            note(at,
                 fmt::format("launches blocks of more than {} threads: add a constraint, as in "
                             "\"… <= max_threads_per_block\"",
                             most),
                 row.configuration);
        }
        if (const std::string flaw = flaw_of_grid(step); !flaw.empty()) {
            note(at, flaw, row.configuration);
        }
        const auto resources =
            device_.inspector == nullptr || binary.log == nullptr
                ? std::nullopt
                : device_.inspector->resources(*binary.log, binary.symbols.at(step.entry));
        if (!resources) {
            row.threads = std::max(row.threads, threads);
            return;
        }
        if (const auto most = limit("shared_bytes_per_block");
            most > 0 && resources->shared_bytes + step.shared_bytes > most) {
            note(at,
                 fmt::format("needs more than {} bytes of shared memory: add a constraint, as in "
                             "\"… <= shared_bytes_per_block\"",
                             most),
                 row.configuration);
        }
        const auto occupancy =
            device_.inspector->occupancy(device_.info, *resources, threads, step.shared_bytes);
        if (occupancy && occupancy->blocks_per_sm == 0) {
            note(at,
                 fmt::format("no block fits into a multiprocessor, for want of {}",
                             occupancy->limit),
                 row.configuration);
        }
        if (!row.resources || !row.occupancy ||
            (occupancy && occupancy->share < row.occupancy->share)) {
            row.threads = threads;
            row.dynamic_bytes = step.shared_bytes;
            row.resources = resources;
            row.occupancy = occupancy;
        }
    }

    const KernelTemplate& kernel_;
    const Problem& problem_;
    const CheckDevice& device_;
    std::vector<Finding>& findings_;
    DeviceCheck result_;
    std::vector<Configuration> configurations_;
    std::vector<Instance> instances_;
    std::vector<std::size_t> places_;  ///< by instance: its place among the jobs' outcomes
    std::optional<std::size_t> reference_place_;
    Instance reference_;
};

}  // namespace

TemplateCheck check_template(const KernelTemplate& kernel, const Problem& problem,
                             std::span<const CheckDevice> devices, std::size_t most) {
    kernel.check(problem);
    TemplateCheck check;
    CheckJobs jobs(kernel.source());
    std::vector<DeviceChecker> checkers;
    checkers.reserve(devices.size());
    for (const CheckDevice& device : devices) {
        checkers.emplace_back(kernel, problem, device, check.findings).submit(jobs, most);
    }
    jobs.run();
    for (DeviceChecker& checker : checkers) {
        check.devices.push_back(checker.take(jobs));
    }
    return check;
}

void add_finding(std::vector<Finding>& findings, Finding finding) {
    const auto same = std::find_if(findings.begin(), findings.end(), [&](const Finding& other) {
        return other.level == finding.level && other.place == finding.place &&
               other.text == finding.text;
    });
    if (same == findings.end()) {
        findings.push_back(std::move(finding));
        return;
    }
    same->configurations += finding.configurations;
    for (std::string& device : finding.devices) {
        if (std::find(same->devices.begin(), same->devices.end(), device) == same->devices.end()) {
            same->devices.push_back(std::move(device));
        }
    }
}

}  // namespace jitune::internal
