// SPDX-License-Identifier: Apache-2.0
#include "template/default_rules.hpp"

#include "fixtures/front_matter_lines.hpp"
#include "template/kernel_template.hpp"

namespace jitune::internal {
namespace {

class DefaultRules : public ::testing::Test {
protected:
    /// The template of kLines with these lines in front of its launch.
    static std::string with_rules(const std::string& rules) {
        return with_line(22, rules + "[[launch]]");
    }

    static KernelTemplate kernel(const std::string& rules) {
        return KernelTemplate({"scale.cu", with_rules(rules), {}});
    }

    static const DeviceInfo& device() {
        static const DeviceInfo info{
            .platform = PlatformKind::cuda,
            .id = "cuda:0",
            .name = "fake",
            .uuid = "",
            .driver = "",
            .device_class = "fake",
            .attributes = {{"max_threads_per_block", 1024}, {"sm_count", 8}}};
        return info;
    }

    static Problem problem(std::int64_t n, const std::string& element = "float32") {
        Problem result;
        result.kernel = "scale";
        result.types = {{"element", element}};
        result.sizes = {n};
        return result;
    }

    static std::string default_text(const std::string& rules, std::int64_t n,
                                    const std::string& element = "float32") {
        return kernel(rules).default_configuration(problem(n, element), device()).text();
    }
};

TEST_F(DefaultRules, TheFirstThatHoldsGivesItsValuesAndTheParametersGiveTheOthers) {
    const std::string rules =
        "[[default]]\nwhen = \"n * element_bytes <= 40000\"\nzip = 64\nmode = \"a\"\n"
        "[[default]]\nwhen = \"n <= 20000\"\nblock = 32\n"
        "[[default]]\nwhen = \"element = 'int32'\"\nzip = 256\n";
    EXPECT_EQ(default_text(rules, 10'000), "zip=64 block=64 mode=a");
    EXPECT_EQ(default_text(rules, 20'000), "zip=128 block=32 mode=b");
    EXPECT_EQ(default_text(rules, 1 << 20, "int32"), "zip=256 block=64 mode=b");
    EXPECT_EQ(default_text(rules, 1 << 20), "zip=128 block=64 mode=b");
}

TEST_F(DefaultRules, ANumberStandsForTheLargestListedValueThatIsNotAboveIt) {
    const std::string rules = "[[default]]\nzip = \"n / (sm_count * 64)\"\n";
    EXPECT_EQ(default_text(rules, 8 * 64 * 255), "zip=128 block=64 mode=b");
    EXPECT_EQ(default_text(rules, 8 * 64 * 256), "zip=256 block=64 mode=b");
    EXPECT_EQ(default_text(rules, 1 << 30), "zip=256 block=64 mode=b");
    EXPECT_EQ(default_text(rules, 8 * 64 * 20), "zip=64 block=64 mode=b");  // below all
    EXPECT_EQ(default_text("[[default]]\nzip = \"n * 0.01\"\n", 20'000), "zip=128 block=64 mode=b");
}

TEST_F(DefaultRules, AnExpressionMayGiveAName) {
    const std::string rules = "[[default]]\nmode = \"iif(n > 100000, 'a', 'b')\"\n";
    EXPECT_EQ(default_text(rules, 100'001), "zip=128 block=64 mode=a");
    EXPECT_EQ(default_text(rules, 100'000), "zip=128 block=64 mode=b");
}

TEST_F(DefaultRules, ARuleThatAConstraintForbidsIsPassedOver) {
    // tile < n
    const std::string rules =
        "[[default]]\nzip = 256\n"
        "[[default]]\nzip = 64\nblock = 32\n";
    EXPECT_EQ(default_text(rules, 20'000), "zip=256 block=64 mode=b");
    EXPECT_EQ(default_text(rules, 10'000), "zip=64 block=32 mode=b");
    // None is left: the nearest to the parameters' defaults, as without rules.
    EXPECT_EQ(default_text("[[default]]\nzip = 256\n", 5000), default_text("", 5000));
}

TEST_F(DefaultRules, AValueThatIsNoneOfTheParametersPassesTheRuleOver) {
    const std::string rules =
        "[[default]]\nmode = \"iif(n > 100000, 'a', 'c')\"\nzip = 64\n"
        "[[default]]\nzip = \"n / 0\"\n"
        "[[default]]\nzip = 256\n";
    EXPECT_EQ(default_text(rules, 200'000), "zip=64 block=64 mode=a");
    EXPECT_EQ(default_text(rules, 50'000), "zip=256 block=64 mode=b");
}

TEST_F(DefaultRules, TheDefaultNamesItsRule) {
    const KernelTemplate source = kernel("[[default]]\nwhen = \"n > 100000\"\nzip = 64\n");
    const auto by_rule = source.default_of(problem(200'000), device());
    ASSERT_NE(by_rule.rule, nullptr);
    EXPECT_EQ(by_rule.rule->text, "n > 100000");
    EXPECT_EQ(by_rule.rule->line, 22);
    EXPECT_EQ(source.default_of(problem(50'000), device()).rule, nullptr);
    EXPECT_EQ(source.default_of(problem(3000), device()).rule, nullptr);
}

TEST_F(DefaultRules, ASearchKnowsTheConfigurationsOfAllOnce) {
    const KernelTemplate source = kernel(
        "[[default]]\nwhen = \"n > 100000\"\nzip = 64\n"
        "[[default]]\nwhen = \"n < 7\"\nzip = \"iif(n = 20000, 64, 256)\"\n"
        "[[default]]\nwhen = \"n < 9\"\nmode = \"a\"\n");
    std::vector<std::string> texts;
    for (const Configuration& one : source.rule_configurations(problem(20'000), device())) {
        texts.push_back(one.text());
    }
    EXPECT_EQ(texts,
              (std::vector<std::string>{"zip=64 block=64 mode=b", "zip=128 block=64 mode=a"}));
}

TEST_F(DefaultRules, AreNoPartOfTheIdentity) {
    const std::string known = kernel("").hash();
    const std::string rules =
        "[[default]]\nwhen = \"n > 100000\"\nzip = 64\n\n# why\n[[default]]\nblock = 32\n";
    EXPECT_EQ(kernel(rules).hash(), known);
    EXPECT_EQ(without_default_rules(with_rules(rules)), with_rules(""));
    EXPECT_EQ(kernel("  [[default]]\n  zip = 64\n\t[[default]]\n\tblock = 32\n").hash(), known);
    // What stands behind the front matter is code.
    const std::string code = text_of(kLines) + "[[default]]\nint a;\n";
    EXPECT_EQ(without_default_rules(code), code);
    EXPECT_NE(KernelTemplate({"scale.cu", code, {}}).hash(), known);
    EXPECT_EQ(without_default_rules(""), "");
    EXPECT_EQ(without_default_rules("/* jitune template\n[[default]]\nzip = 64 */ int a;"),
              "/* jitune template\nzip = 64 */ int a;");
}

TEST_F(DefaultRules, AloneAreNoPartOfTheIdentity) {
    const auto hash = [](const std::string& rules, const std::string& grid) {
        std::string text = with_rules(rules);
        text.replace(text.find("\"2\""), 3, grid);
        return KernelTemplate({"scale.cu", text, {}}).hash();
    };
    for (const std::string rules :
         {"[[default]]\nzip = 64\n  ", "[[default]]\nwhen = \"\"\"\nn\"\"\"  # \"\"\"\nzip = 64\n",
          "[[default]]\n# it's \"\"\"\nwhen = \"\\u006e\"\nzip = 64\n",
          "  [[default]]\n  zip = 64\n\t", "[[default]]\r\nzip = 64\r\n",
          "[[default]]  # [x]\nzip = 64\n"}) {
        EXPECT_NE(hash(rules, "\"2\""), hash(rules, "\"3\"")) << rules;
    }
    EXPECT_EQ(hash("  [[default]]\n  zip = 64\n", "\"2\""), hash("", "\"2\""));

    const auto with_summary = [](const std::string& quotes, const std::string& constraint) {
        std::string text =
            with_line(2, "kernel = \"scale\"\nsummary = " + quotes + "\n[[default]]\n" + quotes);
        text.replace(text.find("tile < n"), 8, constraint);
        return KernelTemplate({"scale.cu", text, {}}).hash();
    };
    for (const std::string quotes : {"\"\"\"", "'''"}) {
        EXPECT_NE(with_summary(quotes, "tile < n"), with_summary(quotes, "tile > n")) << quotes;
    }
}

TEST_F(DefaultRules, WhatIsWrongIsRefusedAtItsLine) {
    const auto refuse = [](std::size_t line, const std::string& text, const std::string& rules) {
        SCOPED_TRACE(rules);
        expect_refused_at(line, text, with_rules(rules));
    };
    refuse(23, "neither a parameter nor the key when", "[[default]]\nzap = 64\n");
    refuse(23, "one of the parameter's values", "[[default]]\nzip = 65\n");
    refuse(23, "one of the parameter's values", "[[default]]\nzip = true\n");
    refuse(23, "one of the parameter's values", "[[default]]\nmode = \"'c'\"\n");
    refuse(23, "one of the parameter's values", "[[default]]\nmode = \"c\"\n");
    refuse(23, "depends on the parameter block", "[[default]]\nzip = \"block\"\n");
    refuse(23, "depends on the parameter block",
           "[[default]]\nwhen = \"tile < 100\"\nblock = 32\n");
    refuse(23, "\"m\" in \"m < 100\" is not known",
           "[[default]]\nwhen = \"m < 100\"\nblock = 32\n");
    refuse(22, "a value for at least one parameter", "[[default]]\nwhen = \"n < 100\"\n");
    refuse(22, "tables [[default]]", "[default]\nzip = 64\n");
    std::string many;
    for (int i = 0; i < 13; ++i) {
        many += "[[default]]\nzip = 64\n";
    }
    refuse(22, "at most 12 tables", many);
}

}  // namespace
}  // namespace jitune::internal
