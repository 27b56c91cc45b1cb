// SPDX-License-Identifier: Apache-2.0
#include "sweep/hints.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

constexpr std::size_t kMostHints = 20;

std::vector<std::string> sorted_names(const std::vector<Parameter>& parameters) {
    std::vector<std::string> names;
    for (const Parameter& parameter : parameters) {
        names.push_back(parameter.name);
    }
    std::sort(names.begin(), names.end());
    return names;
}

/// Nothing if the kernel does not list one of the values.
std::optional<Configuration> configuration_of(const std::string& text,
                                              const std::vector<Parameter>& parameters) {
    try {
        return Configuration::parse(text, parameters);
    } catch (const Error&) {
        return std::nullopt;
    }
}

}  // namespace

Hints::Hints(std::string source, const RecordedSpace& recorded)
    : source_(std::move(source)), names_(sorted_names(recorded.space().parameters())) {
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t i = 0; i < recorded.space().size(); ++i) {
        if (const auto time_ns = recorded.time_ns(i)) {
            order.emplace_back(*time_ns, i);
        }
    }
    std::sort(order.begin(), order.end());
    for (const auto& [time_ns, index] : order) {
        configurations_.push_back(recorded.space().at(index).text());
    }
}

std::vector<std::string> Hints::for_task(const Task& task) const {
    if (source_.empty()) {
        return {};
    }
    const KernelTemplate& kernel = task.kernel_template();
    const std::vector<Parameter>& parameters = kernel.front_matter().parameters;
    if (const auto wanted = sorted_names(parameters); wanted != names_) {
        throw Error(
            ErrorKind::usage,
            fmt::format("{}: the results have the parameters {}, but {} has {}", source_,
                        fmt::join(names_, ", "), kernel.source().name, fmt::join(wanted, ", ")));
    }
    std::vector<std::string> hints;
    for (const std::string& text : configurations_) {
        const auto configuration = configuration_of(text, parameters);
        if (configuration && task.accepts(*configuration)) {
            hints.push_back(configuration->text());
        }
        if (hints.size() == kMostHints) {
            break;
        }
    }
    return hints;
}

}  // namespace jitune::internal
