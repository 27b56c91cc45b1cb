// SPDX-License-Identifier: Apache-2.0
// The code of configurations: what KernelTemplate gives to compilers.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "template/kernel_template.hpp"
#include "template/option_reader.hpp"

namespace jitune::internal {

std::string KernelTemplate::text_of(const std::string& word, const Problem& problem,
                                    const Configuration& configuration) const {
    if (const auto type = front_matter_.types.find(word); type != front_matter_.types.end()) {
        return type->second.at(problem.types.at(word));
    }
    const auto enumeration = front_matter_.enumerations.find(word);
    const std::string value = to_string(configuration.at(word));
    return enumeration == front_matter_.enumerations.end() ? value
                                                           : enumeration->second + "::" + value;
}

std::string KernelTemplate::defines(const Problem& problem,
                                    const Configuration& configuration) const {
    std::string text;
    for (const std::string& name : front_matter_.defines) {
        text += fmt::format("#define {} {}\n", name, text_of(name, problem, configuration));
    }
    return text;
}

std::vector<std::string> KernelTemplate::options(const Problem& problem,
                                                 const Configuration& configuration) const {
    auto values = fixed_values(front_matter_, problem, {});
    add_configuration(values, configuration);
    std::vector<std::string> result;
    for (const OptionSpec& option : front_matter_.options) {
        const auto when = option.when.bind(values).constant_value();
        if (when && is_true(*when)) {
            result.push_back(filled_option(option.text, [&](const std::string& name) {
                return front_matter_.types.contains(name) ? text_of(name, problem, configuration)
                                                          : to_string(configuration.at(name));
            }));
        }
    }
    result.insert(result.end(), source_.options.begin(), source_.options.end());
    return result;
}

std::string KernelTemplate::name_expression(const LaunchSpec& launch, const Problem& problem,
                                            const Configuration& configuration) const {
    std::vector<std::string> arguments;
    for (const std::string& name : launch.template_arguments) {
        arguments.push_back(text_of(name, problem, configuration));
    }
    return arguments.empty() ? launch.entry
                             : fmt::format("{}<{}>", launch.entry, fmt::join(arguments, ", "));
}

Instance KernelTemplate::instance(const Problem& problem,
                                  const Configuration& configuration) const {
    Instance instance;
    for (const LaunchSpec& launch : front_matter_.launches) {
        instance.expressions.push_back(name_expression(launch, problem, configuration));
        instance.lines.push_back(launch.line);
    }
    add_constants(instance);
    instance.defines = defines(problem, configuration);
    instance.options = options(problem, configuration);
    return instance;
}

void KernelTemplate::add_constants(Instance& instance) const {
    for (const ArgumentSpec& argument : front_matter_.arguments) {
        if (!argument.constant.empty()) {
            instance.expressions.push_back("&" + argument.constant);
            instance.lines.push_back(instance.lines.front());
        }
    }
}

Instance KernelTemplate::launched_instance(const Problem& problem, const DeviceInfo& device,
                                           const Configuration& configuration) const {
    Instance launched = instance(problem, configuration);
    auto values = fixed_values(front_matter_, problem, device);
    add_configuration(values, configuration);
    const auto never = [&](const LaunchSpec& launch) {
        const auto when = launch.when.bind(values).constant_value();
        return when && !is_true(*when);
    };
    const auto& launches = front_matter_.launches;
    const auto first = std::find_if_not(launches.begin(), launches.end(), never);
    for (std::size_t i = 0; first != launches.end() && i < launches.size(); ++i) {
        if (never(launches[i])) {
            launched.expressions[i] = name_expression(*first, problem, configuration);
            launched.lines[i] = first->line;
        }
    }
    return launched;
}

std::optional<KernelTemplate::Reference> KernelTemplate::reference(
    const Problem& problem, const DeviceInfo& device, const Configuration& configuration) const {
    using Kind = ReferenceSpec::Kind;
    const Kind kind = front_matter_.reference ? front_matter_.reference->kind : Kind::files;
    if (kind == Kind::standard) {
        return Reference{instance(problem, configuration),
                         launch_rule(problem, device, configuration)};
    }
    if (kind != Kind::kernel) {
        return std::nullopt;
    }
    const LaunchSpec& launch = front_matter_.reference->launch;
    Instance plain{{name_expression(launch, problem, configuration)},
                   defines(problem, configuration),
                   {launch.line},
                   options(problem, configuration)};
    add_constants(plain);
    return Reference{std::move(plain), rule_of({launch}, problem, device, configuration)};
}

Instance KernelTemplate::host_reference(const Problem& problem) const {
    std::vector<Configuration::Entry> entries;
    for (const Parameter& parameter : front_matter_.parameters) {
        entries.emplace_back(parameter.name, parameter.default_value());
    }
    const Configuration standard(std::move(entries));
    const LaunchSpec& launch = front_matter_.reference->launch;
    return {
        {name_expression(launch, problem, standard)}, defines(problem, standard), {launch.line}};
}

}  // namespace jitune::internal
