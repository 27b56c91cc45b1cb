// SPDX-License-Identifier: Apache-2.0
// A user's own kernel that changes an array in place: each candidate finds it as it was.

#include <fstream>
#include <string>
#include <vector>

#include "dispatch/engine.hpp"
#include "families/families.hpp"
#include "families/own/kernel_file.hpp"
#include "fixtures/expect_error.hpp"
#include "jitune/tuned_kernel.hpp"
#include "support/temp_dir.hpp"

namespace jitune::internal {
namespace {

// Written before it is read, and changed in place, by `step` at a time.
constexpr const char* kInPlace = R"(/* jitune template
kernel = "double_up"
backend = "host"
sizes = ["n"]
cache = "warm"
[parameters]
step = { values = [1, 2, 3], default = 1 }
[arguments]
total = { access = "out", type = "int64", count = "1" }
values = { access = "inout", type = "int32", count = "n", fill = "random 0..9" }
addend = { access = "value", type = "int32", value = "1" }
n = { access = "scalar", type = "int64", value = "n" }
[[launch]]
entry = "double_up"
template = ["step"]
arguments = ["values", "addend", "n", "total"]
[reference]
host = "double_plainly"
arguments = ["total", "values", "addend", "n"]
*/
template <int kStep>
void double_up(int* values, int addend, long n, long* total) {
    *total = 0;
    for (long i = 0; i < n; ++i) {
        *total += values[i];
        values[i] = static_cast<int>(2u * static_cast<unsigned>(values[i])) + addend;
    }
    FAULT
}
#ifdef JITUNE_HOST
void double_plainly(long* total, int* values, int addend, long n) {
    *total = 0;
    for (long i = 0; i < n; ++i) {
        *total += values[i];
        values[i] = 2 * values[i] + addend;
    }
}
#endif
)";

class InPlaceKernelTest : public testing::Test {
protected:
    InPlaceKernelTest() {
        options_.database = dir_.path() / "tuning.db";
        options_.budget = std::chrono::milliseconds(200);
        options_.log_level = LogLevel::off;
        options_.worker = "none";
    }

    /// kInPlace with more code.
    static std::string text(const std::string& fault) {
        const std::string mark = "FAULT";
        std::string text = kInPlace;
        return text.replace(text.find(mark), mark.size(), fault);
    }
    /// What tuning kInPlace with more code gives.
    TuneReport tune_in_place(const std::string& fault) {
        Engine engine(options_, families());
        const Kernel kernel = kernel_from_text("double_up.cpp", text(fault), dir_.path());
        return engine.tuner().tune(
            {engine.device("host"), kernel, kernel_problem(kernel.kernel_template, {1000}, {})},
            {.strategy = "exhaustive"});
    }
    static std::string reason_of(const TuneReport& report, const std::string& configuration) {
        for (const Measurement& row : report.measurements) {
            if (row.configuration == configuration && row.verdict == Verdict::wrong_result) {
                return row.reason;
            }
        }
        return {};
    }

    TempDir dir_;
    Options options_;
};

TEST_F(InPlaceKernelTest, ChangesArraysInPlaceInAnyOrderOfArguments) {
    std::ofstream(dir_.path() / "double_up.cpp") << text("");
    Session session(options_);
    const TunedKernel double_up(dir_.path() / "double_up.cpp", {}, session);
    std::int64_t total = 0;
    std::int32_t values[3] = {1, 2, 3};
    double_up.launch({3}, {&total, values, 5});
    EXPECT_EQ(total, 6);
    EXPECT_EQ(std::vector<std::int32_t>(values, values + 3), (std::vector<std::int32_t>{7, 9, 11}));
}

TEST_F(InPlaceKernelTest, EachCandidateFindsAnArrayThatIsChangedAsItWas) {
    const TuneReport report = tune_in_place("");
    EXPECT_EQ(report.progress.evaluated, 3U);
    EXPECT_EQ(report.progress.failed, 0U);
}

TEST_F(InPlaceKernelTest, WhatIsChangedInPlaceIsCheckedWithWhatLiesBehindIt) {
    const TuneReport report =
        tune_in_place("if (kStep == 2) values[n] = 0; if (kStep == 3) values[n - 1] += 1;");
    EXPECT_EQ(report.progress.failed, 2U);
    EXPECT_NE(reason_of(report, "step=2").find("wrote behind the end"), std::string::npos);
    EXPECT_NE(reason_of(report, "step=3").find("values[0]: got"), std::string::npos);
}

}  // namespace
}  // namespace jitune::internal
