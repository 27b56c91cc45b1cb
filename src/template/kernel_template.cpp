// SPDX-License-Identifier: Apache-2.0
#include "template/kernel_template.hpp"

#include <algorithm>
#include <ranges>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "jitune/error.hpp"
#include "template/front_matter.hpp"
#include "template/template_headers.hpp"
#include "types/element_names.hpp"

namespace jitune::internal {
namespace {

void refuse_nul(const std::string& name, const std::string& text) {
    if (text.find('\0') != std::string::npos) {
        throw Error(ErrorKind::usage, name + ": holds a NUL byte; compilers stop reading there");
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
        values.emplace(name, to_scalar(value));
    }
}

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
    return {{problem.kernel, types_text(problem), device.device_class, problem.alignment, hash_},
            size_bucket(problem.sizes)};
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

bool KernelTemplate::is_in_space(const Configuration& configuration, const Problem& problem,
                                 const DeviceInfo& device) const {
    return holds(front_matter_.constraints, configuration, problem, device) &&
           holds(front_matter_.prune, configuration, problem, device);
}

KernelTemplate::Default KernelTemplate::default_of(const Problem& problem, const DeviceInfo& device,
                                                   const SearchSpace* space) const {
    auto values = fixed_values(front_matter_, problem, device);
    add_sizes(values, front_matter_, problem);
    Default standard;
    for (const DefaultRule& rule : front_matter_.default_rules) {
        const auto truth = rule.when.bind(values).constant_value();
        if (!truth || !is_true(*truth)) {
            continue;
        }
        auto configuration = rule.configuration(front_matter_.parameters, values);
        if (configuration && is_in_space(*configuration, problem, device)) {
            standard.configuration = std::move(*configuration);
            standard.rule = &rule;
            return standard;
        }
        standard.passed_over.push_back(&rule);
    }
    standard.configuration = defaults();
    if (!is_in_space(standard.configuration, problem, device)) {
        standard.configuration =
            nearest_to_defaults(space != nullptr ? *space : this->space(problem, device));
    }
    return standard;
}

std::vector<Configuration> KernelTemplate::rule_configurations(const Problem& problem,
                                                               const DeviceInfo& device) const {
    auto values = fixed_values(front_matter_, problem, device);
    add_sizes(values, front_matter_, problem);
    std::vector<Configuration> result;
    for (const DefaultRule& rule : front_matter_.default_rules) {
        auto configuration = rule.configuration(front_matter_.parameters, values);
        if (configuration && std::ranges::count(result, *configuration) == 0) {
            result.push_back(std::move(*configuration));
        }
    }
    return result;
}

KernelTemplate KernelTemplate::without_rules() const {
    KernelTemplate plain = *this;
    plain.front_matter_.default_rules.clear();
    return plain;
}

Configuration KernelTemplate::nearest_to_defaults(const SearchSpace& space) const {
    const Configuration standard = defaults();
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

LaunchRule KernelTemplate::launch_rule(const Problem& problem, const DeviceInfo& device,
                                       const Configuration& configuration) const {
    return rule_of(front_matter_.launches, problem, device, configuration);
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
                                                            double seconds,
                                                            std::optional<double> joules) const {
    auto values = fixed_values(front_matter_, problem, device);
    add_sizes(values, front_matter_, problem);
    add_configuration(values, configuration);
    values.emplace("seconds", seconds);
    if (joules) {
        values.emplace("joules", *joules);
    }
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

std::optional<LaunchRule::Argument::Texture> KernelTemplate::texture_of(
    const ArgumentSpec& spec, const std::string& type,
    const std::map<std::string, Scalar>& values) const {
    if (!spec.texture) {
        return std::nullopt;
    }
    const auto number = [&](const Expression& expression, const char* what) {
        return quantity(
            expression, values, front_matter_.sizes,
            fmt::format("{} of the texture of argument {} of {}", what, spec.name, source_.name));
    };
    TextureView view{};
    view.element = parse_element_type(type);
    view.sampling = spec.texture->sampling;
    LaunchRule::Argument::Texture texture{view, number(spec.texture->width, "width"), {}, {}};
    if (spec.texture->height) {
        texture.height = number(*spec.texture->height, "height");
        texture.pitch = number(*spec.texture->pitch, "pitch");
    }
    return texture;
}

LaunchRule KernelTemplate::rule_of(const std::vector<LaunchSpec>& launches, const Problem& problem,
                                   const DeviceInfo& device,
                                   const Configuration& configuration) const {
    auto values = fixed_values(front_matter_, problem, device);
    add_configuration(values, configuration);
    const auto rule = [&](const Expression& expression, const std::string& what) {
        return quantity(expression, values, front_matter_.sizes, what + " of " + source_.name);
    };

    auto next_constant = static_cast<std::uint8_t>(launches.size());  // as add_constants()
    std::vector<LaunchRule::Argument> arguments;
    for (const ArgumentSpec& spec : front_matter_.arguments) {
        const auto named = problem.types.find(spec.type);
        const std::string& type = named == problem.types.end() ? spec.type : named->second;
        arguments.push_back({kind_of(spec.access), type_bytes(type).value_or(1),
                             rule(spec.amount, "argument " + spec.name)});
        arguments.back().texture = texture_of(spec, type, values);
        if (!spec.constant.empty()) {
            arguments.back().constant = next_constant++;
        }
    }
    std::vector<LaunchRule::Step> steps;
    for (const LaunchSpec& spec : launches) {
        LaunchRule::Step step;
        step.when = rule(spec.when, "when");
        step.shared_bytes = rule(spec.shared_bytes, "shared_bytes");
        step.cluster = rule(spec.cluster, "cluster");
        step.programmatic = rule(spec.programmatic, "programmatic");
        step.cooperative = rule(spec.cooperative, "cooperative");
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
