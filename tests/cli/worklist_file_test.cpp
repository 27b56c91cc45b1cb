// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/worklist_file.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>

#include "cli/formats/table.hpp"
#include "cli/sweep/worklist_plan.hpp"
#include "fixtures/expect_error.hpp"
#include "report/call_views.hpp"
#include "support/message.hpp"
#include "support/temp_dir.hpp"
#include "template/problem.hpp"

namespace jitune::internal {
namespace {

WorkItem item_of(std::int64_t n) {
    CallRecord miss;
    miss.key = {{"reduce",
                 "accumulator=float32 determinism=run_to_run element=float32 "
                 "operation=sum result=float32",
                 "host a", 4, "hash"},
                size_bucket(Sizes{n})};
    miss.sizes = fmt::format("n={}", n);
    miss.kernel_spec = frame({"reduce", "reduce", "host"});
    miss.origin = "default";
    miss.configuration = "block=1";
    miss.calls = 12;
    miss.sessions = 3;
    miss.device_name = "a CPU";
    miss.first_at = "2026-11-20T16:00:00Z";
    miss.last_at = "2026-11-21T16:00:00Z";
    return {{miss}, 1500, 0.25, 3};
}

class WorklistFile : public testing::Test {
protected:
    std::filesystem::path write(const std::string& text) {
        const auto path = dir_.path() / "work.json";
        std::ofstream(path) << text;
        return path;
    }
    void expect_refused(const std::string& text, const std::string& reason) {
        const auto path = write(text);
        expect_error(ErrorKind::usage, reason, [&] { read_worklist(path); });
        expect_error(ErrorKind::usage, path.string(), [&] { read_worklist(path); });
    }
    /// The document of one item with a part of its text replaced.
    static std::string changed(const std::string& part, const std::string& other) {
        std::string text = worklist_json(std::vector{item_of(1000)}).dump(1);
        const auto place = text.find(part);
        EXPECT_NE(place, std::string::npos) << part;
        return text.replace(place, part.size(), other);
    }

    TempDir dir_;
};

TEST_F(WorklistFile, IsReadAsItWasWritten) {
    const std::vector<WorkItem> items{item_of(1000), item_of(2000)};
    EXPECT_EQ(read_worklist(write(worklist_json(items).dump(1))),
              (std::vector<CallRecord>{items[0].misses[0], items[1].misses[0]}));
    WorkItem together = items[0];
    together.misses.push_back(items[1].misses[0]);
    EXPECT_EQ(read_worklist(write(worklist_json(std::vector{together}).dump(1))), together.misses);
    EXPECT_TRUE(read_worklist(write(worklist_json({}).dump(1))).empty());
}

TEST_F(WorklistFile, TakesNoBucketFromAnother) {
    EXPECT_EQ(read_worklist(write(changed("\"bucket\": 20", "\"bucket\": 7"))),
              std::vector{item_of(1000).misses[0]});
}

TEST_F(WorklistFile, RefusesAKernelThatIsNotOfItsName) {
    expect_refused(changed("\"reduce\",\n", "\"stencil\",\n"), "problem 1: ");
    expect_refused(changed("\"reduce\",\n", "\"stencil\",\n"), "its code is of the kernel reduce");
    expect_refused(changed("\"reduce\",\n", "\"reduced\",\n"), "its code is of the kernel reduce");
    expect_refused(changed("element=float32", "element=float3"), "float3");
    const std::string custom = changed("\"reduce\",\n", "\"reduce:mine\",\n");
    EXPECT_EQ(read_worklist(write(custom)).size(), 1U);
    CallRecord unknown = item_of(1000).misses[0];
    unknown.kernel_spec = frame({"median", "host"});
    EXPECT_EQ(read_worklist(write(worklist_json(std::vector{WorkItem{{unknown}}}).dump(1))).size(),
              1U)
        << "which another build may know";
}

TEST_F(WorklistFile, RefusesWhatTheDatabaseWould) {
    expect_refused("[]", "worklist");
    expect_refused("{\"worklist\": 3}", "worklist");
    expect_refused(changed("\"calls\": 12", "\"calls\": 0"), "below 1");
    expect_refused(changed("\"calls\": 12", "\"calls\": -1"), "below 1");
    expect_refused(changed("\"n=1000\"", "\"n=\""), "n=1000");
    expect_refused(changed("operation=sum", "operation"), "types");
    expect_refused(changed("\"reduce\",\n", "3,\n"), "kernel");
    expect_refused(changed("\"default\"", "\"\""), "a text is empty");
}

TEST(WorklistPlan, HasTheProblemsThatThisBuildCanMake) {
    WorkItem other_class = item_of(1);
    other_class.misses[0].key.device_class = "host b";
    WorkItem unknown = item_of(2);
    unknown.misses[0].kernel_spec = frame({"median", "host"});
    WorkItem damaged = item_of(3);
    damaged.misses[0].kernel_spec = "?";
    WorkItem bad_types = item_of(4);
    bad_types.misses[0].key.types = "element=float3";
    std::vector<std::string> warnings;
    const Log log(LogLevel::warning,
                  [&](LogLevel, std::string_view line) { warnings.emplace_back(line); });
    std::vector<std::size_t> places;
    const SweepPlan plan =
        worklist_plan(std::vector{other_class, unknown, damaged, bad_types, item_of(1000)},
                      "host a", log, places);
    ASSERT_EQ(plan.problems.size(), 2U);
    EXPECT_EQ(places, (std::vector<std::size_t>{4, 4}));
    const SweepProblem& one = plan.problems.front().problem;
    EXPECT_EQ(one.name, "reduce float32 sum run_to_run n=1000");
    EXPECT_EQ(one.problem.sizes, Sizes{1000});
    EXPECT_EQ(one.problem.types.at("operation"), "sum");
    EXPECT_TRUE(one.around);
    EXPECT_FALSE(one.anew);
    EXPECT_LT(one.budget_part, 1);
    const SweepProblem& again = plan.problems.back().problem;
    EXPECT_EQ(again.name, one.name);
    EXPECT_TRUE(again.anew);
    EXPECT_EQ(again.budget_part, 1);
    EXPECT_EQ(again.again_of, 0U);
    EXPECT_EQ(warnings.size(), 3U);
    EXPECT_NE(warnings[0].find("reduce float32 sum run_to_run n=2 of the work-list is left out"),
              std::string::npos)
        << warnings[0];
}

TEST(WorklistText, HasALineForSizesThatAreTunedTogether) {
    WorkItem item = item_of(1000);
    item.misses.push_back(item_of(1001).misses[0]);
    item.misses.push_back(item_of(1002).misses[0]);
    const std::string text = Table::text(worklist_view(std::vector{item}), kWhole);
    EXPECT_NE(text.find("n=1000 and 2 more"), std::string::npos) << text;
    EXPECT_NE(text.find(" 36 "), std::string::npos) << "calls\n" << text;
}

TEST(WorklistText, IsATableForPeople) {
    EXPECT_EQ(Table::text(worklist_view({}), kWhole), "");
    const std::string text = Table::text(worklist_view(std::vector{item_of(1000)}), kWhole);
    for (const char* part :
         {"n=1000", "a CPU", "12", "1.50 us", "250 ms", "3.00 s", "2026-11-21", "~ estim"}) {
        EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
    }
}

}  // namespace
}  // namespace jitune::internal
