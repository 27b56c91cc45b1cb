// SPDX-License-Identifier: Apache-2.0
#include "cli/formats/figures.hpp"

#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/formats/json_file.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

using Figures = std::vector<std::pair<std::string, double>>;

std::optional<Figures> read_figures(const std::string& text) {
    Figures figures;
    try {
        const ParsedJson document = parse_json(text.empty() ? "{}" : text, "figures");
        for (const auto& [name, value] : document.items()) {
            if (!document.is_object() || !value.is_number()) {
                return std::nullopt;
            }
            figures.emplace_back(name, value.get<double>());
        }
    } catch (const Error&) {
        return std::nullopt;
    }
    return figures;
}

}  // namespace

Json figures_json(const std::string& figures) {
    const auto known = read_figures(figures);
    if (!known) {
        return figures;
    }
    Json document = Json::object();
    for (const auto& [name, value] : *known) {
        document[name] = json_number(value);
    }
    return document;
}

std::string figures_text(const std::string& figures) {
    const auto known = read_figures(figures);
    if (!known) {
        return figures;
    }
    std::string text;
    for (const auto& [name, value] : *known) {
        text += fmt::format("{}{}={:.5g}", text.empty() ? "" : " ", name, value);
    }
    return text;
}

std::string metric_title(const std::string& name, const std::string& unit) {
    return unit.empty() ? name : name + ", " + unit;
}

Json metrics_json(std::span<const KernelTemplate::Metric> metrics) {
    Json document = Json::object();
    for (const KernelTemplate::Metric& metric : metrics) {
        document[metric.name] = {{"value", json_number(metric.value)}, {"unit", metric.unit}};
    }
    return document;
}

}  // namespace jitune::internal
