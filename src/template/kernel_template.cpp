// SPDX-License-Identifier: Apache-2.0
#include "template/kernel_template.hpp"

#include <algorithm>
#include <ranges>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "jitune/error.hpp"
#include "template/front_matter_parser.hpp"
#include "template/option_reader.hpp"
#include "template/template_identity.hpp"
#include "types/element_names.hpp"

namespace jitune::internal {

namespace {

void refuse_nul(const std::string& name, const std::string& text) {
    if (text.find('\0') != std::string::npos) {
        throw Error(ErrorKind::usage, name + ": holds a NUL byte; compilers stop reading there");
    }
}

Scalar scalar(const Value& value) {
    return std::visit([](const auto& held) { return Scalar(held); }, value);
}

/// The names of a problem and its device that are fixed while its configurations vary.
std::map<std::string, Scalar> fixed_values(const FrontMatter& front, const Problem& problem,
                                           const DeviceInfo& device) {
    std::map<std::string, Scalar> values;
    for (const auto& [name, value] : device.attributes) {
        values.emplace(name, value);
    }
    for (const auto& [parameter, name] : problem.types) {
        values.emplace(parameter, front.type_value(parameter, name));
        if (const auto bytes = type_bytes(name)) {
            values.emplace(parameter + "_bytes", *bytes);
        }
    }
    return values;
}

void add_sizes(std::map<std::string, Scalar>& values, const FrontMatter& front,
               const Problem& problem) {
    for (std::size_t i = 0; i < front.sizes.size(); ++i) {
        values.emplace(front.sizes[i], problem.sizes.at(i));
    }
}

void add_configuration(std::map<std::string, Scalar>& values, const Configuration& configuration) {
    for (const auto& [name, value] : configuration.entries()) {
        values.emplace(name, scalar(value));
    }
}

LaunchRule::Quantity quantity(const Expression& expression,
                              const std::map<std::string, Scalar>& values,
                              const std::vector<std::string>& sizes, std::string what) {
    return {expression.bind(values).for_slots(sizes), std::move(what)};
}

LaunchRule::Argument::Kind kind_of(Access access) {
    switch (access) {
        case Access::value_array:
            return LaunchRule::Argument::Kind::value_array;
        case Access::scratch:
            return LaunchRule::Argument::Kind::scratch;
        case Access::zeroed:
            return LaunchRule::Argument::Kind::zeroed;
        case Access::scalar:
            return LaunchRule::Argument::Kind::integer;
        default:
            return LaunchRule::Argument::Kind::array;
    }
}

}  // namespace

KernelTemplate::KernelTemplate(TemplateSource source)
    : source_(std::move(source)),
      front_matter_(parse_front_matter(source_)),
      hash_(template_identity(source_)) {
    refuse_nul(source_.name, source_.text);
    for (const auto& [name, text] : source_.headers) {
        refuse_nul(name, text);
    }
}

void KernelTemplate::check(const Problem& problem) const {
    for (const auto& [parameter, names] : front_matter_.types) {
        const auto given = problem.types.find(parameter);
        if (given == problem.types.end() || !names.contains(given->second)) {
            const auto range = front_matter_.ranges.find(parameter);
            const std::string there =
                range != front_matter_.ranges.end()
                    ? range->second
                    : fmt::format("{}", fmt::join(std::views::keys(names), ", "));
            throw Error(ErrorKind::usage,
                        given == problem.types.end()
                            ? fmt::format("{}: needs a name for its type parameter {}, one of {}",
                                          source_.name, parameter, there)
                            : fmt::format("{}: {} cannot be \"{}\"; use one of {}", source_.name,
                                          parameter, given->second, there));
        }
    }
    if (problem.sizes.size() != front_matter_.sizes.size() ||
        std::any_of(problem.sizes.begin(), problem.sizes.end(),
                    [](auto size) { return size < 1; })) {
        throw Error(ErrorKind::usage,
                    fmt::format("{}: needs the sizes {}, each at least 1", source_.name,
                                fmt::join(front_matter_.sizes, ", ")));
    }
}

RecordKey KernelTemplate::key(const Problem& problem, const DeviceInfo& device) const {
    return {problem.kernel, types_text(problem), size_bucket(problem.sizes), problem.alignment,
            hash_,          device.device_class};
}

std::vector<Expression> KernelTemplate::bound(const std::vector<Expression>& expressions,
                                              const Problem& problem,
                                              const DeviceInfo& device) const {
    auto values = fixed_values(front_matter_, problem, device);
    add_sizes(values, front_matter_, problem);
    std::vector<Expression> result;
    for (const Expression& expression : expressions) {
        result.push_back(expression.bind(values));
    }
    return result;
}

SearchSpace KernelTemplate::space(const Problem& problem, const DeviceInfo& device) const {
    std::vector<Expression> all = bound(front_matter_.constraints, problem, device);
    for (Expression& expression : bound(front_matter_.prune, problem, device)) {
        all.push_back(std::move(expression));
    }
    return SearchSpace(front_matter_.parameters, all);
}

bool KernelTemplate::accepts(const Configuration& configuration, const Problem& problem,
                             const DeviceInfo& device) const {
    return holds(front_matter_.constraints, configuration, problem, device);
}

bool KernelTemplate::holds(const std::vector<Expression>& expressions,
                           const Configuration& configuration, const Problem& problem,
                           const DeviceInfo& device) const {
    auto values = fixed_values(front_matter_, problem, device);
    add_sizes(values, front_matter_, problem);
    add_configuration(values, configuration);
    return std::all_of(expressions.begin(), expressions.end(), [&](const Expression& expression) {
        const auto value = expression.bind(values).constant_value();
        return value && is_true(*value);
    });
}

Configuration KernelTemplate::defaults() const {
    std::vector<Configuration::Entry> entries;
    for (const Parameter& parameter : front_matter_.parameters) {
        entries.emplace_back(parameter.name, parameter.default_value());
    }
    return Configuration(std::move(entries));
}

Configuration KernelTemplate::default_configuration(const Problem& problem,
                                                    const DeviceInfo& device) const {
    Configuration standard = defaults();
    const bool is_in_space = holds(front_matter_.constraints, standard, problem, device) &&
                             holds(front_matter_.prune, standard, problem, device);
    return is_in_space ? std::move(standard) : default_configuration(space(problem, device));
}

Configuration KernelTemplate::default_configuration(const SearchSpace& space) const {
    const Configuration standard = defaults();
    if (space.find(standard) < space.size()) {
        return standard;
    }
    const auto shared = [&](const Configuration& other) {
        std::ptrdiff_t count = 0;
        for (std::size_t i = 0; i < other.entries().size(); ++i) {
            count += other.entries()[i] == standard.entries()[i] ? 1 : 0;
        }
        return count;
    };
    Configuration best = space.at(0);
    for (std::size_t i = 1; i < space.size(); ++i) {
        if (Configuration candidate = space.at(i); shared(candidate) >= shared(best)) {
            best = std::move(candidate);
        }
    }
    return best;
}

std::string KernelTemplate::reproducibility(const Configuration& configuration,
                                            const Problem& problem,
                                            const DeviceInfo& device) const {
    auto values = fixed_values(front_matter_, problem, device);
    add_sizes(values, front_matter_, problem);
    add_configuration(values, configuration);
    const auto value = front_matter_.reproducibility.bind(values).constant_value();
    const auto* word = value ? std::get_if<std::string>(&*value) : nullptr;
    if (word == nullptr || (*word != "exact" && *word != "fixed" && *word != "any")) {
        throw Error(ErrorKind::usage,
                    fmt::format("{}: reproducibility of {} is not 'exact', 'fixed' or 'any'",
                                source_.name, configuration.text()));
    }
    return *word;
}

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
                return text_of(name, problem, configuration);
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
    instance.defines = defines(problem, configuration);
    instance.options = options(problem, configuration);
    return instance;
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

LaunchRule KernelTemplate::launch_rule(const Problem& problem, const DeviceInfo& device,
                                       const Configuration& configuration) const {
    return rule_of(front_matter_.launches, problem, device, configuration);
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
    return Reference{{{name_expression(launch, problem, configuration)},
                      defines(problem, configuration),
                      {launch.line},
                      options(problem, configuration)},
                     rule_of({launch}, problem, device, configuration)};
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

std::optional<Scalar> KernelTemplate::value_of(const Expression& expression,
                                               const Problem& problem) const {
    auto values = fixed_values(front_matter_, problem, {});
    add_sizes(values, front_matter_, problem);
    return expression.bind(values).constant_value();
}

std::vector<KernelTemplate::Metric> KernelTemplate::metrics(const Problem& problem,
                                                            const DeviceInfo& device,
                                                            const Configuration& configuration,
                                                            double seconds) const {
    auto values = fixed_values(front_matter_, problem, device);
    add_sizes(values, front_matter_, problem);
    add_configuration(values, configuration);
    values.emplace("seconds", seconds);
    std::vector<Metric> result;
    for (const MetricSpec& metric : front_matter_.metrics) {
        const auto value = metric.value.bind(values).constant_value();
        if (const auto* real = value ? std::get_if<double>(&*value) : nullptr) {
            result.push_back({metric.name, *real, metric.unit});
        } else if (const auto* integer = value ? std::get_if<std::int64_t>(&*value) : nullptr) {
            result.push_back({metric.name, static_cast<double>(*integer), metric.unit});
        }
    }
    return result;
}

LaunchRule KernelTemplate::rule_of(const std::vector<LaunchSpec>& launches, const Problem& problem,
                                   const DeviceInfo& device,
                                   const Configuration& configuration) const {
    auto values = fixed_values(front_matter_, problem, device);
    add_configuration(values, configuration);
    const auto rule = [&](const Expression& expression, const std::string& what) {
        return quantity(expression, values, front_matter_.sizes, what + " of " + source_.name);
    };

    std::vector<LaunchRule::Argument> arguments;
    for (const ArgumentSpec& spec : front_matter_.arguments) {
        const auto type = problem.types.find(spec.type);
        const auto bytes = type_bytes(type == problem.types.end() ? spec.type : type->second);
        arguments.push_back(
            {kind_of(spec.access), bytes.value_or(1), rule(spec.amount, "argument " + spec.name)});
    }
    std::vector<LaunchRule::Step> steps;
    for (const LaunchSpec& spec : launches) {
        LaunchRule::Step step;
        step.when = rule(spec.when, "when");
        step.shared_bytes = rule(spec.shared_bytes, "shared_bytes");
        step.cluster = rule(spec.cluster, "cluster");
        step.programmatic = rule(spec.programmatic, "programmatic");
        for (std::size_t axis = 0; axis < 3; ++axis) {
            step.grid[axis] = rule(spec.grid[axis], fmt::format("grid.{}", "xyz"[axis]));
            step.block[axis] = rule(spec.block[axis], fmt::format("block.{}", "xyz"[axis]));
        }
        for (const std::string& name : spec.arguments) {
            const auto found =
                std::find_if(front_matter_.arguments.begin(), front_matter_.arguments.end(),
                             [&](const ArgumentSpec& a) { return a.name == name; });
            step.arguments.push_back(
                static_cast<std::uint8_t>(found - front_matter_.arguments.begin()));
        }
        steps.push_back(std::move(step));
    }
    return LaunchRule(steps, arguments);
}

}  // namespace jitune::internal
