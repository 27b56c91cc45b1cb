// SPDX-License-Identifier: Apache-2.0
#include "cli/families/parameter_words.hpp"

#include <algorithm>
#include <fstream>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "template/kernel_template.hpp"
#include "template/template_headers.hpp"

namespace jitune::internal {
namespace {

std::vector<KernelTemplate> builtin_templates() {
    std::vector<KernelTemplate> templates;
    for (const embedded::File& file : embedded::kernel_templates) {
        const bool source = file.name.ends_with(".cu") || file.name.ends_with(".cpp");
        if (source && file.name.find('/') == std::string_view::npos) {
            templates.emplace_back(builtin_template(file.name));
        }
    }
    return templates;
}

/// The rows that the page must have, in their order.
std::vector<std::string> rows_of_the_page() {
    std::vector<std::string> rows;
    for (const ParameterWords& row : parameter_words()) {
        rows.push_back(fmt::format("| `{}` | {} | {} |", row.name, row.of, row.meaning));
        for (const ValueWords& value : row.values) {
            rows.push_back(
                fmt::format("| `{}={}` | {} | {} |", row.name, value.value, row.of, value.meaning));
        }
    }
    return rows;
}

TEST(ParameterWords, AreThereForEveryParameterOfEveryBuiltinTemplate) {
    std::set<const ParameterWords*> used;
    for (const KernelTemplate& one : builtin_templates()) {
        for (const Parameter& parameter : one.front_matter().parameters) {
            const ParameterWords* const row =
                find_parameter_words(one.front_matter(), parameter.name);
            ASSERT_NE(row, nullptr) << one.source().name << " " << parameter.name;
            used.insert(row);
            for (const Value& value : parameter.values) {
                const auto known = std::any_of(
                    row->values.begin(), row->values.end(),
                    [&](const ValueWords& words) { return words.value == to_string(value); });
                EXPECT_TRUE(known || std::holds_alternative<std::int64_t>(value))
                    << one.source().name << " " << parameter.name << "=" << to_string(value);
            }
        }
    }
    for (const ParameterWords& row : parameter_words()) {
        EXPECT_TRUE(used.contains(&row)) << row.name << " of " << row.of << " is no parameter";
    }
}

TEST(ParameterWords, AreAllThatThePageSays) {
    std::ifstream page(JITUNE_EXAMPLES_DIR "/../docs/reference/parameters.md");
    std::vector<std::string> rows;
    for (std::string line; std::getline(page, line);) {
        if (line.starts_with("| `")) {
            rows.push_back(line);
        }
    }
    EXPECT_EQ(rows, rows_of_the_page());
}

TEST(ParameterWords, SayAConfigurationSettingBySetting) {
    const KernelTemplate kernel(builtin_template("reduce.cu"));
    const auto settings =
        explain_configuration(kernel.front_matter(), "block=256 finish=ticket bulk_stages=0");
    ASSERT_EQ(settings.size(), 3U);
    EXPECT_EQ(settings[0].meaning, "threads of a block");
    EXPECT_EQ(settings[1].name, "finish");
    EXPECT_EQ(settings[1].value, "ticket");
    EXPECT_EQ(settings[1].meaning,
              "how the results of blocks become one: each block stores and counts; the last to "
              "arrive reads all");
    EXPECT_TRUE(settings[2].meaning.ends_with("no ring: threads load by themselves"));
    EXPECT_TRUE(explain_configuration(kernel.front_matter(), "").empty());
}

TEST(ParameterWords, DifferBetweenKernelsThatUseOneNameForSeveralThings) {
    const auto meaning = [](const char* source, const char* name) {
        const KernelTemplate kernel(builtin_template(source));
        return std::string(find_parameter_words(kernel.front_matter(), name)->meaning);
    };
    EXPECT_NE(meaning("entropy.cu", "transfer"), meaning("entropy.machine.cpp", "transfer"));
    EXPECT_NE(meaning("stencil.cu", "staging"), meaning("stencil.machine.cpp", "staging"));
    EXPECT_NE(meaning("reduce.cu", "blocks_per_sm"), meaning("stencil.cu", "blocks_per_sm"));
    EXPECT_NE(meaning("entropy.cu", "strip"), meaning("stencil.host.cpp", "strip"));
}

}  // namespace
}  // namespace jitune::internal
