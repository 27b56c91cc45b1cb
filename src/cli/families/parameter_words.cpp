// SPDX-License-Identifier: Apache-2.0
#include "cli/families/parameter_words.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "support/embedded.hpp"
#include "template/problem.hpp"

namespace jitune::internal {

/// docs/reference/parameters.md.
namespace embedded {
extern const std::span<const File> parameter_pages;
}  // namespace embedded

namespace {

/// Removes and returns the text of a cell of a row of Markdown, which ends at the next bar.
std::string_view take_cell(std::string_view& row) {
    const std::size_t end = std::min(row.find('|'), row.size());
    std::string_view cell = row.substr(0, end);
    row.remove_prefix(std::min(end + 1, row.size()));
    cell.remove_prefix(std::min(cell.find_first_not_of(" `"), cell.size()));
    return cell.substr(0, cell.find_last_not_of(" `") + 1);
}

/// The rows of the page's table. A row of "name=value" belongs to the row of the name above it.
std::vector<ParameterWords> rows_of(std::string_view page) {
    constexpr std::string_view kRow = "\n| `";
    std::vector<ParameterWords> rows;
    for (std::size_t at = 0; (at = page.find(kRow, at)) != std::string_view::npos;) {
        at += kRow.size();
        std::string_view row = page.substr(at, page.find('\n', at) - at);
        const std::string_view setting = take_cell(row);
        const std::string_view of = take_cell(row);
        const std::string_view meaning = take_cell(row);
        const std::size_t equals = setting.find('=');
        if (equals == std::string_view::npos) {
            rows.push_back({setting, of, meaning});
        } else if (!rows.empty()) {
            rows.back().values.push_back({setting.substr(equals + 1), meaning});
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
    static const std::vector<ParameterWords> kRows = rows_of(embedded::parameter_pages[0].text);
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
