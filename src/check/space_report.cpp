// SPDX-License-Identifier: Apache-2.0
#include "check/space_report.hpp"

#include <algorithm>

#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

constexpr double kMostCounted = 1e7;

double product_of(const std::vector<Parameter>& parameters) {
    double product = 1;
    for (const Parameter& parameter : parameters) {
        product *= static_cast<double>(parameter.values.size());
    }
    return product;
}

/// How many combinations of these parameters the constraint leaves. It names only them.
double left_by(const std::vector<Parameter>& parameters, const Expression& constraint) {
    if (const auto value = constraint.constant_value()) {
        return is_true(*value) ? 1 : 0;
    }
    try {
        return static_cast<double>(SearchSpace(parameters, {constraint}).size());
    } catch (const Error&) {
        return 0;  // it empties the space
    }
}

std::optional<double> removed_by(const std::vector<Parameter>& all, const Expression& constraint) {
    const std::set<std::string> names = constraint.names();
    std::vector<Parameter> named;
    std::copy_if(all.begin(), all.end(), std::back_inserter(named),
                 [&](const Parameter& one) { return names.contains(one.name); });
    const double product = product_of(named);
    if (product > kMostCounted) {
        return std::nullopt;
    }
    return product_of(all) * (1 - left_by(named, constraint) / product);
}

}  // namespace

SpaceReport report_space(const KernelTemplate& kernel, const Problem& problem,
                         const DeviceInfo& device) {
    const FrontMatter& front = kernel.front_matter();
    SpaceReport report;
    report.combinations = product_of(front.parameters);
    for (const auto* list : {&front.constraints, &front.prune}) {
        const std::vector<Expression> bound = kernel.bound(*list, problem, device);
        for (std::size_t i = 0; i < bound.size(); ++i) {
            report.effects.push_back(
                {(*list)[i].text(), list == &front.prune, removed_by(front.parameters, bound[i])});
        }
    }
    try {
        report.legal = kernel.space(problem, device).size();
    } catch (const Error& error) {
        report.flaw = error.what();
    }
    return report;
}

}  // namespace jitune::internal
