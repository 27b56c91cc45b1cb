// SPDX-License-Identifier: Apache-2.0
#include "rules/measured_losses.hpp"

#include "fixtures/front_matter_lines.hpp"

namespace jitune::internal {
namespace {

class MeasuredLosses : public ::testing::Test {
protected:
    static KernelTemplate kernel(const std::string& text) {
        return KernelTemplate({"scale.cu", text, {}});
    }

    static std::map<std::string, DeviceInfo> devices() {
        return {{"fake",
                 {.platform = PlatformKind::cuda,
                  .id = "cuda:0",
                  .name = "fake",
                  .uuid = "",
                  .driver = "",
                  .device_class = "fake",
                  .attributes = {{"max_threads_per_block", 1024}}}}};
    }

    static MeasuredProblem measured(std::int64_t n, std::map<std::string, double> times_ns,
                                    const std::string& element = "float32") {
        MeasuredProblem one;
        one.problem.kernel = "scale";
        one.problem.types = {{"element", element}};
        one.problem.sizes = {n};
        one.device_class = "fake";
        one.times_ns = std::move(times_ns);
        return one;
    }

    static const LossCell& cell(const LossTable& table, const std::string& configuration,
                                std::size_t problem) {
        const auto found = std::ranges::find(table.configurations, configuration);
        return table.at(static_cast<std::size_t>(found - table.configurations.begin()), problem);
    }

    static constexpr const char* kSmall = "zip=64 block=32 mode=a";
    static constexpr const char* kDefault = "zip=128 block=64 mode=b";
};

TEST_F(MeasuredLosses, AreTimesOverTheBestThatIsMeasuredThere) {
    const std::vector<MeasuredProblem> problems{
        measured(10'000, {{kSmall, 100}, {kDefault, 150}}), measured(20'000, {{kDefault, 90}}),
        measured(5000, {{kSmall, 70}, {kDefault, 35}, {"zip=64 block=31 mode=a", 1}})};
    const LossTable table = losses_of(kernel(text_of(kLines)), problems, devices());
    ASSERT_EQ(table.configurations, (std::vector<std::string>{kDefault, kSmall}))
        << "block=31 is none of the template's";
    EXPECT_EQ(table.differing, (std::vector<std::size_t>{0, 3}));
    EXPECT_EQ(table.problems[0].size_text, "n=10000");
    EXPECT_EQ(table.problems[0].types, "element=float32");
    EXPECT_EQ(cell(table, kSmall, 0).loss, 1);
    EXPECT_EQ(cell(table, kDefault, 0).loss, 1.5);
    EXPECT_EQ(table.problems[0].standard.loss, 1.5);
    EXPECT_EQ(cell(table, kSmall, 1).state, LossCell::State::estimated);
    // tile < n forbids 128 * 64 at 5000, though it was measured.
    EXPECT_EQ(cell(table, kDefault, 2).state, LossCell::State::excluded);
    EXPECT_EQ(table.problems[2].standard.state, LossCell::State::unknown);
}

TEST_F(MeasuredLosses, KnowWhatTheTemplatesTablesAnswer) {
    const std::vector<MeasuredProblem> problems{measured(10'000, {{kSmall, 100}, {kDefault, 150}}),
                                                measured(40'000, {{kSmall, 100}, {kDefault, 50}})};
    for (const std::string begin : {"[[default]]", "[[ default ]]"}) {
        SCOPED_TRACE(begin);
        const LossTable table =
            losses_of(kernel(with_line(22, begin + "\nwhen = \"n <= 20000\"\nzip = 64\nblock = 32\n"
                                                   "mode = \"a\"\n[[launch]]")),
                      problems, devices());
        EXPECT_EQ(table.problems[0].present.loss, 1);
        EXPECT_EQ(table.problems[0].standard.loss, 1.5);
        EXPECT_EQ(table.problems[1].present.loss, 1);
        EXPECT_EQ(table.problems[1].standard.loss, 1);
    }
}

TEST_F(MeasuredLosses, ConditionsAskForSizesBytesAndTypes) {
    const auto texts = [](const KernelTemplate& source,
                          const std::vector<MeasuredProblem>& problems) {
        const RuleQuestions questions = questions_of(source, problems);
        std::vector<std::string> result;
        for (const auto& quantity : questions.quantities) {
            result.push_back(quantity.text);
        }
        for (const auto& fact : questions.facts) {
            result.push_back(fact.text);
        }
        return result;
    };
    using Texts = std::vector<std::string>;
    std::vector<MeasuredProblem> problems{measured(10'000, {{kSmall, 1}}),
                                          measured(20'000, {{kSmall, 1}}, "int32")};
    EXPECT_EQ(texts(kernel(text_of(kLines)), problems),
              (Texts{"n", "element = 'float32'", "element = 'int32'"}));

    std::vector<std::string> lines = kLines;
    lines[10] = "float32 = \"float\"\nint8 = \"char\"";
    problems[1].problem.types["element"] = "int8";
    const KernelTemplate of_int8 = kernel(text_of(lines));
    EXPECT_EQ(texts(of_int8, problems),
              (Texts{"n", "n * element_bytes", "element_bytes = 1", "element_bytes = 4"}));

    // `wide` depends on types alone; `tile` on parameters, so that no rule can ask for it.
    lines[16] += "\nbytes = \"n * element_bytes + 8\"\nwide = \"element_bytes >= 4\"";
    problems.push_back(measured(20'000, {{kSmall, 1}}, "int32"));
    EXPECT_EQ(texts(kernel(text_of(lines)), problems),
              (Texts{"n", "bytes", "element_bytes = 1", "element_bytes = 4", "element = 'float32'",
                     "element = 'int32'"}));

    std::string pair = text_of(lines);
    pair.replace(pair.find("[\"n\"]"), 5, "[\"m\", \"n\"]");
    pair.erase(pair.find("bytes = \"n"), pair.find("wide") - pair.find("bytes = \"n"));
    for (MeasuredProblem& one : problems) {
        one.problem.sizes.insert(one.problem.sizes.begin(), one.problem.sizes[0] % 77);
    }
    const Texts found = texts(kernel(pair), problems);
    EXPECT_EQ((Texts{found.begin(), found.begin() + 4}),
              (Texts{"m", "n", "m * n", "m * n * element_bytes"}));
}

}  // namespace
}  // namespace jitune::internal
