// SPDX-License-Identifier: Apache-2.0
#include "cli/families/parameter_words.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "support/embedded.hpp"
#include "support/settings.hpp"

namespace jitune::internal {

namespace embedded {

/// docs/reference/parameters.md
extern const std::span<const File> parameter_page;

}  // namespace embedded

namespace {

constexpr std::string_view kRow = "| `";

/// The three cells of "| `finish=slots` | reduce | … |", without the marks of code.
std::array<std::string_view, 3> cells_of(std::string_view line) {
    std::array<std::string_view, 3> cells;
    line.remove_prefix(kRow.size());
    for (std::string_view& cell : cells) {
        const std::size_t end = line.find(" |");
        cell = line.substr(0, end);
        cell.remove_prefix(cell.starts_with(' ') ? 1 : 0);
        cell.remove_suffix(cell.ends_with('`') ? 1 : 0);
        line.remove_prefix(end + 2);
    }
    return cells;
}

/// A row of a value stands behind that of its parameter.
std::vector<ParameterWords> rows_of(std::string_view page) {
    std::vector<ParameterWords> rows;
    while (!page.empty()) {
        const std::string_view line = page.substr(0, page.find('\n'));
        page.remove_prefix(std::min(line.size() + 1, page.size()));
        if (!line.starts_with(kRow)) {
            continue;
        }
        const auto [setting, of, meaning] = cells_of(line);
        if (const auto sign = setting.find('='); sign != std::string_view::npos) {
            rows.back().values.push_back({setting.substr(sign + 1), meaning});
        } else {
            rows.push_back({setting, of, meaning});
        }
    }
    return rows;
}

bool fits(const ParameterWords& row, const FrontMatter& source) {
    const std::string_view platform = to_string(source.platform);
    return row.of.empty() || row.of == source.kernel || row.of == platform;
}

}  // namespace

std::span<const ParameterWords> parameter_words() {
    static const std::vector<ParameterWords> kRows = rows_of(embedded::parameter_page.front().text);
    return kRows;
}

const ParameterWords* find_parameter_words(const FrontMatter& source, std::string_view name) {
    const ParameterWords* best = nullptr;
    const std::string_view platform = to_string(source.platform);
    for (const ParameterWords& row : parameter_words()) {
        const bool better = best == nullptr || best->of.empty() || row.of == platform;
        if (row.name == name && fits(row, source) && better) {
            best = &row;
        }
    }
    return best;
}

std::vector<ExplainedSetting> explain_configuration(const FrontMatter& source,
                                                    std::string_view configuration) {
    std::vector<ExplainedSetting> settings;
    for (const std::string_view setting : settings_of(configuration)) {
        const std::string_view name = setting.substr(0, setting.find('='));
        const std::string_view value = setting.substr(std::min(setting.size(), name.size() + 1));
        const ParameterWords* const row = find_parameter_words(source, name);
        std::string meaning(row == nullptr ? "" : row->meaning);
        if (row != nullptr) {
            const auto found =
                std::find_if(row->values.begin(), row->values.end(),
                             [&](const ValueWords& one) { return one.value == value; });
            meaning += found == row->values.end() ? "" : fmt::format(": {}", found->meaning);
        }
        settings.push_back({std::string(name), std::string(value), std::move(meaning)});
    }
    return settings;
}

}  // namespace jitune::internal
