// SPDX-License-Identifier: Apache-2.0
#include "cli/db/coverage_report.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

Winner ranged(const std::string& covers, double loss_bound = 1.02) {
    Winner winner;
    winner.key = {{"reduce", "element=float32 operation=sum", "cuda cc=90", 16, "0123"}, 0};
    winner.sizes = "n=1";
    winner.range = {covers, loss_bound, 59, false};
    winner.configuration = "block=256";
    return winner;
}

TEST(CoverageReport, SaysWhatIsServedAndWhatIsNot) {
    std::vector<Winner> winners{ranged("n=1..7; n=16..63"), ranged("n=100..200", 0),
                                ranged("n=8..9", 1.3)};
    winners[2].range.unsure = true;
    EXPECT_EQ(
        coverage_report(coverage_of(winners).at(0), 2),
        "kernel          reduce\n"
        "types           element=float32 operation=sum\n"
        "alignment       16 bytes\n"
        "device class    cuda cc=90\n"
        "template        0123\n"
        "served          n=1..7\n"
        "                n=16..63\n"
        "                n=100..200\n"
        "share           78.5 % of the octaves between the smallest and the largest size\n"
        "holes           n=8..15\n"
        "                n=64..99\n"
        "configurations  1, in 2 binaries\n"
        "worst bound     1.02 on 59 sizes; not known of 1 of 2 winners\n"
        "unsure          n=8..9: at most 30.0 % slower than the best, with 59 held-out sizes\n");
}

TEST(CoverageReport, IsSafeForATerminalWhateverTheDatabaseHolds) {
    std::vector<Winner> winners{ranged("n=1..7")};
    winners[0].key.kernel = "\x1b]0;title\x07\x1b[2J\u202e" + std::string(1000, 'x');
    const std::string text = coverage_report(coverage_of(winners).at(0), 1);
    EXPECT_EQ(text.find_first_of("\x1b\x07"), std::string::npos);
    EXPECT_EQ(text.find("\u202e"), std::string::npos);
    EXPECT_LT(text.find('\n'), 350U);
}

TEST(CoverageReport, CutsLongLists) {
    std::string covers = "n=1";
    for (int n = 3; n < 40; n += 2) {
        covers += fmt::format("; n={}", n);
    }
    std::vector<Winner> winners{ranged(covers)};
    winners[0].key.alignment = 1;
    const std::string text = coverage_report(coverage_of(winners).at(0), 1);
    EXPECT_NE(text.find("\nalignment       1 byte\n"), std::string::npos) << text;
    EXPECT_NE(text.find("                n=23\n                … and 8 more\nshare"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("                n=24\n                … and 7 more\nconfigurations"),
              std::string::npos)
        << text;
}

TEST(CoverageReport, InJsonIsWhole) {
    std::vector<Winner> winners{ranged("n=1..7; n=16", 0)};
    const std::string all = coverage_report_json(coverage_of(winners).at(0), 1).dump();
    EXPECT_NE(all.find(R"("served":[{"n":[1,7]},{"n":[16,16]}])"), std::string::npos) << all;
    EXPECT_NE(all.find(R"("holes":[{"n":[8,15]}])"), std::string::npos) << all;
    EXPECT_NE(all.find(R"("loss_bound":null,"held_out":0,"unsure":[])"), std::string::npos) << all;
    winners[0].range.unsure = true;
    const std::string none = coverage_report_json(coverage_of(winners).at(0), 0).dump();
    EXPECT_NE(none.find(R"("served":[])"), std::string::npos) << none;
    EXPECT_NE(none.find(R"("unsure":[{"sizes":[{"n":[1,7]},{"n":[16,16]}])"), std::string::npos)
        << none;
}

}  // namespace
}  // namespace jitune::internal
