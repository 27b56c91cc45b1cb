// SPDX-License-Identifier: Apache-2.0
#include "rules/measured_losses.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "jitune/error.hpp"

namespace jitune::internal {
namespace {

/// The configurations of a template that were measured, by their texts.
std::map<std::string, Configuration> known_configurations(
    const KernelTemplate& kernel, std::span<const MeasuredProblem> problems) {
    std::map<std::string, Configuration> result;
    std::set<std::string> refused;
    for (const MeasuredProblem& one : problems) {
        for (const auto& [text, time] : one.times_ns) {
            if (result.contains(text) || refused.contains(text)) {
                continue;
            }
            try {
                result.emplace(text, Configuration::parse(text, kernel.front_matter().parameters));
            } catch (const Error&) {
                refused.insert(text);
            }
        }
    }
    return result;
}

/// Tells whether the space of a problem holds a configuration, without making the space.
class ProblemSpace {
public:
    ProblemSpace(const KernelTemplate& kernel, const Problem& problem, const DeviceInfo& device)
        : parameters_(kernel.front_matter().parameters) {
        for (const auto* list :
             {&kernel.front_matter().constraints, &kernel.front_matter().prune}) {
            for (const Expression& one : kernel.bound(*list, problem, device)) {
                constraints_.push_back(one.for_positions(parameters_));
            }
        }
    }

    [[nodiscard]] bool holds(const Configuration& configuration) const {
        std::vector<std::int64_t> positions;
        for (const Parameter& parameter : parameters_) {
            const auto found =
                std::ranges::find(parameter.values, configuration.at(parameter.name));
            positions.push_back(found - parameter.values.begin());
        }
        return std::ranges::all_of(constraints_,
                                   [&](const Expression& one) { return one.holds(positions); });
    }

private:
    const std::vector<Parameter>& parameters_;
    std::vector<Expression> constraints_;
};

bool depends_on(const Expression& expression, const std::set<std::string>& names) {
    return std::ranges::any_of(expression.names(),
                               [&](const std::string& name) { return names.contains(name); });
}

/// What an expression over sizes and types gives at each problem; nothing if it is over more.
std::optional<std::vector<Scalar>> values_of(const KernelTemplate& kernel,
                                             const Expression& expression,
                                             std::span<const MeasuredProblem> problems) {
    std::vector<Scalar> values;
    for (const MeasuredProblem& one : problems) {
        auto value = kernel.value_of(expression, one.problem);
        if (!value) {
            return std::nullopt;
        }
        values.push_back(std::move(*value));
    }
    return values;
}

class Questions {
public:
    Questions(const KernelTemplate& kernel, std::span<const MeasuredProblem> problems)
        : kernel_(kernel), front_(kernel.front_matter()), problems_(problems) {}

    RuleQuestions all() {
        std::string product;
        for (const std::string& size : front_.sizes) {
            add_quantity(size);
            product += (product.empty() ? "" : " * ") + size;
        }
        add_quantity(product);
        const auto bytes = front_.derived.find("bytes");
        if (bytes == front_.derived.end() || !add_quantity(bytes->first, bytes->second)) {
            if (front_.types.contains("element") && !front_.ranges.contains("element")) {
                add_quantity(product + " * element_bytes");
            }
        }
        for (const auto& [parameter, names] : front_.types) {
            if (!front_.ranges.contains(parameter)) {
                add_facts(parameter + "_bytes", Expression::parse(parameter + "_bytes"));
            }
        }
        add_derived_facts();
        for (const auto& [parameter, names] : front_.types) {
            add_facts(parameter, Expression::parse(parameter));
        }
        return std::move(result_);
    }

private:
    bool add_quantity(const std::string& text) {
        return add_quantity(text, Expression::parse(text));
    }

    /// False if the expression gives no positive numbers.
    bool add_quantity(const std::string& text, const Expression& expression) {
        const auto values = values_of(kernel_, expression, problems_);
        RuleQuestions::Quantity quantity{text, {}};
        for (const Scalar& value : values.value_or(std::vector<Scalar>{})) {
            const auto* integer = std::get_if<std::int64_t>(&value);
            const auto* real = std::get_if<double>(&value);
            quantity.values.push_back(integer != nullptr ? static_cast<double>(*integer)
                                      : real != nullptr  ? *real
                                                         : 0);
        }
        if (!values || std::ranges::any_of(quantity.values, [](double x) { return !(x > 0); })) {
            return false;
        }
        result_.add(std::move(quantity));
        return true;
    }

    /// Derived names that depend on types alone: `adds` where they are truths, else each value.
    void add_derived_facts() {
        const std::set<std::string> sizes(front_.sizes.begin(), front_.sizes.end());
        for (const auto& [name, expression] : front_.derived) {
            if (!depends_on(expression, sizes)) {
                add_facts(name, expression);
            }
        }
    }

    /// A fact for each value that the expression has at the problems.
    void add_facts(const std::string& text, const Expression& expression) {
        const auto values = values_of(kernel_, expression, problems_);
        if (!values) {
            return;
        }
        const std::set<Scalar> distinct(values->begin(), values->end());
        const bool is_truth = std::ranges::all_of(distinct, [](const Scalar& value) {
            return value == Scalar(std::int64_t{0}) || value == Scalar(std::int64_t{1});
        });
        for (const Scalar& value : distinct) {
            if (std::holds_alternative<std::monostate>(value) || (is_truth && !is_true(value))) {
                continue;
            }
            RuleQuestions::Fact fact{is_truth ? text : text + " = " + to_string(value), {}};
            for (const Scalar& one : *values) {
                fact.holds.push_back(one == value);
            }
            result_.add(std::move(fact));
        }
    }

    const KernelTemplate& kernel_;
    const FrontMatter& front_;
    std::span<const MeasuredProblem> problems_;
    RuleQuestions result_;
};

}  // namespace

LossTable losses_of(const KernelTemplate& kernel, std::span<const MeasuredProblem> problems,
                    const std::map<std::string, DeviceInfo>& devices) {
    const auto known = known_configurations(kernel, problems);
    LossTable table;
    std::map<std::string, std::size_t> numbers;
    for (const auto& [text, configuration] : known) {
        std::size_t differing = 0;
        for (const Parameter& parameter : kernel.front_matter().parameters) {
            differing += configuration.at(parameter.name) != parameter.default_value() ? 1 : 0;
        }
        numbers.emplace(text, table.configurations.size());
        table.configurations.push_back(text);
        table.differing.push_back(differing);
    }
    for (const MeasuredProblem& one : problems) {
        table.problems.push_back({types_text(one.problem),
                                  one.device_class,
                                  one.problem.alignment,
                                  sizes_text(one.problem, kernel.front_matter().sizes),
                                  one.problem.sizes,
                                  {},
                                  {}});
    }
    table.cells.resize(problems.size() * known.size());
    for (std::size_t i = 0; i < problems.size(); ++i) {
        const MeasuredProblem& here = problems[i];
        const ProblemSpace space(kernel, here.problem, devices.at(here.device_class));
        double best_ns = here.times_ns.begin()->second;
        for (const auto& [text, ns] : here.times_ns) {
            best_ns = std::min(best_ns, ns);
        }
        for (const auto& [text, configuration] : known) {
            const auto time = here.times_ns.find(text);
            LossCell& cell = table.at(numbers.at(text), i);
            if (!space.holds(configuration)) {
                cell.state = LossCell::State::excluded;
            } else if (time != here.times_ns.end()) {
                cell = {LossCell::State::measured, time->second / best_ns};
            }
        }
    }
    estimate_unknown(table);

    const KernelTemplate without = kernel.without_rules();
    for (std::size_t i = 0; i < problems.size(); ++i) {
        const DeviceInfo& device = devices.at(problems[i].device_class);
        const auto cell_of = [&](const KernelTemplate& source) {
            const auto number =
                numbers.find(source.default_configuration(problems[i].problem, device).text());
            return number == numbers.end() ? LossCell{} : table.at(number->second, i);
        };
        table.problems[i].standard = cell_of(without);
        table.problems[i].present = cell_of(kernel);
    }
    return table;
}

RuleQuestions questions_of(const KernelTemplate& kernel,
                           std::span<const MeasuredProblem> problems) {
    return Questions(kernel, problems).all();
}

}  // namespace jitune::internal
