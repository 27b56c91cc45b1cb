// SPDX-License-Identifier: Apache-2.0
// A user's own kernel from a file, on the host: tuned, stored and dispatched for real.

#include "jitune/tuned_kernel.hpp"
#include "families/families.hpp"

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "dispatch/engine.hpp"
#include "families/own/kernel_file.hpp"
#include "fixtures/expect_error.hpp"
#include "support/temp_dir.hpp"

namespace jitune::internal {
namespace {

constexpr const char* kFrontMatter = R"(/* jitune template
kernel = "scale"
backend = "host"
sizes = ["n", "m"]
cache = "warm"
CONSTRAINT
[types.element]
float32 = "float"
int32 = "int"
[parameters]
unroll = { values = [1, 2], default = 1 }
[arguments]
values = { access = "in", type = "element", count = "n * m", fill = "random 0..9", alignment = 8 }
factor = { access = "value", type = "element", value = "3" }
result = { access = "out", type = "element", count = "n * m" }
n = { access = "scalar", type = "int64", value = "n * m" }
[[launch]]
entry = "scale"
template = ["element", "unroll"]
arguments = ["result", "values", "factor", "n"]
[reference]
host = "scale_plainly"
template = ["element"]
arguments = ["result", "values", "factor", "n"]
*/
#include "scale.h"
template <class T, int kUnroll>
void scale(T* result, const T* values, T factor, long n) {
    for (long i = 0; i < n; ++i) result[i] = times(values[i], factor);
}
#ifdef JITUNE_HOST
template <class T>
void scale_plainly(T* result, const T* values, T factor, long n) {
    for (long i = 0; i < n; ++i) result[i] = values[i] * factor;
}
#endif
)";

class TunedKernelTest : public testing::Test {
protected:
    TunedKernelTest() {
        write("scale.h", "template <class T> T times(T a, T b) { return a * b; }");
        write("scale.host.cpp", text(""));
        options_.database = dir_.path() / "tuning.db";
        options_.on_miss = TunePolicy::now;
        options_.budget = std::chrono::milliseconds(0);  // tries all candidates
        options_.log_level = LogLevel::off;
        options_.worker = "none";
    }

    static std::string replaced(std::string text, const std::string& mark, const std::string& by) {
        return text.replace(text.find(mark), mark.size(), by);
    }
    static std::string text(const std::string& constraint) {
        return replaced(kFrontMatter, "CONSTRAINT", constraint);
    }
    void write(const std::string& name, const std::string& content) const {
        std::ofstream(dir_.path() / name) << content;
    }
    TunedKernel kernel(Session& session) const {
        return TunedKernel(dir_.path() / "scale.host.cpp", {{"element", "float32"}}, session);
    }

    TempDir dir_;
    Options options_;
    alignas(8) float values_[6] = {1, 2, 3, 4, 5, 6};
    float result_[6] = {};
};

TEST_F(TunedKernelTest, TunesOnTheFirstCallAndOnlyLaunchesAfterIt) {
    Session session(options_);
    const TunedKernel scale = kernel(session);
    scale.launch({3, 2}, {values_, 2.0f, result_});
    EXPECT_EQ(result_[5], 12);
    const Counters first = session.counters();
    EXPECT_EQ(first.tunings, 1);
    scale.launch({{"m", 2}, {"n", 3}}, {values_, -1.0f, static_cast<void*>(result_)});
    EXPECT_EQ(result_[5], -6);
    EXPECT_EQ(session.counters().compiles, first.compiles);
    EXPECT_EQ(session.counters().tunings, 1);
    EXPECT_EQ(scale.prepare({3, 2}).info().origin, Origin::tuned);
}

TEST_F(TunedKernelTest, AnotherSessionTakesTheWinnerFromTheDatabase) {
    {
        Session session(options_);
        static_cast<void>(kernel(session).prepare({3, 2}));
    }
    Session session(options_);
    const TunedKernel scale = kernel(session);
    EXPECT_EQ(scale.prepare({3, 2}).info().origin, Origin::stored);
    scale.launch({3, 2}, {values_, 2.0f, result_});
    EXPECT_EQ(result_[0], 2);
    EXPECT_EQ(session.counters().compiles, 0);
}

TEST_F(TunedKernelTest, AChangedHeaderIsAnotherKernel) {
    {
        Session session(options_);
        static_cast<void>(kernel(session).prepare({3, 2}));
    }
    write("scale.h", "template <class T> T times(T a, T b) { return b * a; }");
    Session session(options_);
    EXPECT_EQ(kernel(session).prepare({3, 2}).info().origin, Origin::tuned);
}

TEST_F(TunedKernelTest, SizesOfOneBucketThatConstraintsTellApartHaveTheirOwnAnswers) {
    write("scale.host.cpp",
          text("constraints = [\"n * m % unroll = 0\", \"unroll = 2 OR n % 2 = 1\"]"));
    Session session(options_);
    const TunedKernel scale = kernel(session);
    EXPECT_EQ(scale.prepare({64, 1}).info().configuration, "unroll=2");
    EXPECT_EQ(scale.prepare({65, 1}).info().configuration, "unroll=1");
    expect_error(ErrorKind::usage, "at least 1", [&] { static_cast<void>(scale.prepare({0, 1})); });
}

TEST_F(TunedKernelTest, AKernelThatDisagreesWithItsReferenceNeverAnswers) {
    write("scale.h", "template <class T> T times(T a, T b) { return a * b + 1; }");
    Session session(options_);
    const TunedKernel scale = kernel(session);
    expect_error(ErrorKind::verify, "result[0]: got", [&] {
        static_cast<void>(scale.prepare({3, 2}));
    });
}

TEST_F(TunedKernelTest, LaunchTakesSizesAndArgumentsMadeAtRunTime) {
    Session session(options_);
    const TunedKernel scale = kernel(session);
    const std::vector<KernelSize> sizes{{"m", 2}, {"n", 3}};
    std::vector<KernelArgument> arguments{values_, 2.0f, result_};
    scale.launch(sizes, arguments);
    EXPECT_EQ(result_[5], 12);
    arguments[1] = 3.0f;
    scale.launch({3, 2}, arguments);
    EXPECT_EQ(result_[5], 18);
    scale.launch(sizes, {values_, 4.0f, result_});
    EXPECT_EQ(result_[5], 24);
    EXPECT_EQ(scale.prepare(sizes).info().origin, Origin::tuned);
    EXPECT_EQ(session.counters().tunings, 1);
}

TEST_F(TunedKernelTest, TellsWhatACallMustBring) {
    Session session(options_);
    const auto parameters = kernel(session).parameters(KernelSizes({{{"m", 2}, {"n", 3}}}));
    ASSERT_EQ(parameters.size(), 3U);
    EXPECT_EQ(parameters[0].name, "values");
    EXPECT_EQ(parameters[0].count, 6);
    EXPECT_FALSE(parameters[0].is_written);
    EXPECT_TRUE(parameters[1].is_value);
    EXPECT_EQ(parameters[2].count, 6);
    EXPECT_TRUE(parameters[2].is_written);
}

TEST_F(TunedKernelTest, APreparedKernelOnlyLaunches) {
    Session session(options_);
    auto scale = std::make_unique<TunedKernel>(kernel(session));
    const PreparedKernel prepared = scale->prepare({3, 2});
    EXPECT_EQ(prepared.info().origin, Origin::tuned);
    EXPECT_EQ(prepared.info().device, "host");
    EXPECT_TRUE(prepared.info().configuration.starts_with("unroll="));
    scale.reset();  // the handle needs the session alone
    const Counters counters = session.counters();
    prepared({values_, 2.0f, result_});
    EXPECT_EQ(result_[5], 12);
    const std::vector<KernelArgument> arguments{values_, 3.0f, result_};
    prepared(arguments);
    EXPECT_EQ(result_[5], 18);
    EXPECT_EQ(session.counters().compiles, counters.compiles);
    EXPECT_EQ(session.counters().tunings, 1);
}

TEST_F(TunedKernelTest, APreparedKernelRefusesArgumentsThatDoNotFit) {
    Session session(options_);
    const PreparedKernel prepared = kernel(session).prepare({3, 2});
    expect_error(ErrorKind::usage,
                 "the number of arguments is 2, but the kernel takes 3: values, factor, result",
                 [&] {
                     prepared({values_, result_});
                 });
    expect_error(ErrorKind::usage, "a value of float32, but is a value of float64", [&] {
        prepared({values_, 2.0, result_});
    });
    EXPECT_EQ(result_[5], 0);
}

// Ten sizes and twelve arguments. The scalar tells whether each size came to its place.
constexpr const char* kManyNames = R"(/* jitune template
kernel = "many"
backend = "host"
sizes = ["s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9"]
cache = "warm"
[parameters]
unused = { values = [1, 2], default = 1 }
[arguments]
x0 = { access = "in", type = "int32", count = "s0", fill = "random 0..9" }
x1 = { access = "in", type = "int32", count = "s1", fill = "random 0..9" }
x2 = { access = "in", type = "int32", count = "s2", fill = "random 0..9" }
x3 = { access = "in", type = "int32", count = "s3", fill = "random 0..9" }
x4 = { access = "in", type = "int32", count = "s4", fill = "random 0..9" }
x5 = { access = "in", type = "int32", count = "s5", fill = "random 0..9" }
x6 = { access = "in", type = "int32", count = "s6", fill = "random 0..9" }
x7 = { access = "in", type = "int32", count = "s7", fill = "random 0..9" }
x8 = { access = "in", type = "int32", count = "s8", fill = "random 0..9" }
x9 = { access = "in", type = "int32", count = "s9", fill = "random 0..9" }
factor = { access = "value", type = "int32", value = "3" }
result = { access = "out", type = "int64", count = "1" }
places = { access = "scalar", type = "int64", value = "s0 + 2 * s1 + 3 * s2 + 4 * s3 + 5 * s4 + 6 * s5 + 7 * s6 + 8 * s7 + 9 * s8 + 10 * s9" }
[[launch]]
entry = "many"
template = ["unused"]
arguments = ["result", "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "factor", "places"]
[reference]
host = "many_plainly"
arguments = ["result", "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "factor", "places"]
*/
#define ARRAYS const int *x0, const int *x1, const int *x2, const int *x3, const int *x4, \
    const int *x5, const int *x6, const int *x7, const int *x8, const int *x9
inline long sum(ARRAYS) {
    return *x0 + 2 * *x1 + 3 * *x2 + 4 * *x3 + 5 * *x4 + 6 * *x5 + 7 * *x6 + 8 * *x7 + 9 * *x8 +
           10 * *x9;
}
template <int kUnused>
void many(long* result, ARRAYS, int factor, long places) {
    *result = factor * sum(x0, x1, x2, x3, x4, x5, x6, x7, x8, x9) + 1000 * places;
}
#ifdef JITUNE_HOST
#define ARRAYS const int *x0, const int *x1, const int *x2, const int *x3, const int *x4, \
    const int *x5, const int *x6, const int *x7, const int *x8, const int *x9
void many_plainly(long* result, ARRAYS, int factor, long places) {
    *result = factor * (*x0 + 2 * *x1 + 3 * *x2 + 4 * *x3 + 5 * *x4 + 6 * *x5 + 7 * *x6 + 8 * *x7 +
                        9 * *x8 + 10 * *x9) + 1000 * places;
}
#endif
)";

TEST_F(TunedKernelTest, TakesMoreThanEightSizesAndManyArguments) {
    write("many.host.cpp", kManyNames);
    Session session(options_);
    const TunedKernel many(dir_.path() / "many.host.cpp", {}, session);
    std::int32_t numbers[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    std::int64_t result = 0;
    std::vector<KernelSize> sizes(10, KernelSize(1));
    std::vector<KernelArgument> arguments;
    for (std::int32_t& number : numbers) {
        arguments.emplace_back(&number);
    }
    arguments.emplace_back(2);
    arguments.emplace_back(&result);
    many.launch(sizes, arguments);
    EXPECT_EQ(result, 2 * 385 + 1000 * 55);
    sizes[9] = 2;  // of another bucket
    many.launch(sizes, arguments);
    EXPECT_EQ(result, 2 * 385 + 1000 * 65);
    sizes[9] = 1;
    many.launch(sizes, arguments);
    EXPECT_EQ(result, 2 * 385 + 1000 * 55);
    std::vector<KernelSize> named;
    const std::string names[] = {"s9", "s8", "s7", "s6", "s5", "s4", "s3", "s2", "s1", "s0"};
    for (const std::string& name : names) {
        named.emplace_back(name, name == "s3" ? 2 : 1);
    }
    many.launch(named, arguments);
    EXPECT_EQ(result, 2 * 385 + 1000 * 59);
    named.back() = {"s9", 1};
    expect_error(ErrorKind::usage, "duplicate size name \"s9\"",
                 [&] { many.launch(named, arguments); });
}

TEST_F(TunedKernelTest, RefusesCallsThatDoNotFit) {
    Session session(options_);
    const TunedKernel scale = kernel(session);
    const auto refuse = [](const std::string& why, const auto& call) {
        expect_error(ErrorKind::usage, why, call);
    };
    refuse("the number of sizes is 1, but the kernel takes 2: n, m", [&] {
        scale.launch({3}, {values_, 2.0f, result_});
    });
    refuse("unknown or duplicate size name \"k\"; the sizes are n, m", [&] {
        scale.launch({{"n", 3}, {"k", 2}}, {values_, 2.0f, result_});
    });
    refuse("unknown or duplicate size name \"n\"; the sizes are n, m", [&] {
        scale.launch({{"n", 3}, {"n", 3}}, {values_, 2.0f, result_});
    });
    refuse("unknown or duplicate size name \"m\"", [&] {  // the second by position is m, too
        scale.launch({{"m", 3}, 2}, {values_, 2.0f, result_});
    });
    refuse("size m is 0; it must be at least 1", [&] {
        scale.launch({3, 0}, {values_, 2.0f, result_});
    });
    refuse("the number of arguments is 2, but the kernel takes 3: values, factor, result", [&] {
        scale.launch({3, 2}, {values_, result_});
    });
    refuse("argument factor must be a value of float32, but is a value of int32", [&] {
        scale.launch({3, 2}, {values_, 2, result_});
    });
    refuse("argument values must be a pointer to float32, not null and aligned to 8 bytes", [&] {
        scale.launch({3, 2}, {values_ + 1, 2.0f, result_});
    });
    const std::int32_t integers[6] = {};
    refuse("but is a pointer to int32", [&] { scale.launch({3, 2}, {integers, 2.0f, result_}); });
    refuse("but is a null pointer", [&] {
        scale.launch({3, 2}, {values_, 2.0f, static_cast<float*>(nullptr)});
    });
    refuse("the number of sizes is 0", [&] { scale.launch(KernelSizes(), KernelArguments()); });
    refuse("the number of sizes is 3", [&] { static_cast<void>(scale.prepare({3, 2, 1})); });
    EXPECT_EQ(session.counters().tunings, 0);
}

TEST_F(TunedKernelTest, RefusesMissingFilesAndUnknownTypes) {
    Session session(options_);
    expect_error(ErrorKind::usage, "No such file",
                 [&] { TunedKernel(dir_.path() / "none.cu", {}, session); });
    expect_error(ErrorKind::usage, "needs a name for its type parameter element",
                 [&] { TunedKernel(dir_.path() / "scale.host.cpp", {}, session); });
    expect_error(ErrorKind::usage, "no type parameter \"shape\"", [&] {
        TunedKernel(dir_.path() / "scale.host.cpp", {{"shape", "round"}}, session);
    });
    write("plain.cu", "__global__ void scale() {}");
    expect_error(ErrorKind::usage, "plain.cu:1: a kernel template begins with",
                 [&] { TunedKernel(dir_.path() / "plain.cu", {}, session); });
}

}  // namespace
}  // namespace jitune::internal
