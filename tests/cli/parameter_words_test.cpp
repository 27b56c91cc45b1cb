// SPDX-License-Identifier: Apache-2.0
#include "cli/families/parameter_words.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <variant>
#include <vector>

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

TEST(ParameterWords, AreReadFromTheirPageRowByRow) {
    const auto rows = parameter_words();
    ASSERT_FALSE(rows.empty());
    EXPECT_EQ(rows[0].name, "block");
    EXPECT_EQ(rows[0].of, "");
    const auto strip = std::find_if(rows.begin(), rows.end(), [](const ParameterWords& row) {
        return row.name == "strip" && row.of == "stencil";
    });
    ASSERT_NE(strip, rows.end());
    EXPECT_EQ(strip->meaning, "outputs that a thread works on at a time, in the cache next to it");
    EXPECT_TRUE(strip->values.empty());
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
