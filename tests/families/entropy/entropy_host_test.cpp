// SPDX-License-Identifier: Apache-2.0
// The public API on the machine itself, and configurations of the host's kernel.

#include <cmath>
#include <limits>
#include <span>

#include "dispatch/session_access.hpp"
#include "families/entropy/entropy_kernel.hpp"
#include "fixtures/entropy_case.hpp"
#include "fixtures/expect_error.hpp"
#include "support/temp_dir.hpp"
#include "tuning/tuner.hpp"

namespace jitune::internal {
namespace {

Options quick_options() {
    Options options;
    options.database.clear();
    options.on_miss = TunePolicy::template_default;
    options.log_level = LogLevel::error;
    return options;
}

class EntropyHost : public testing::Test {
protected:
    template <class T>
    void expect_right(std::int64_t rows, std::int64_t columns, const Entropy& entropy) {
        const EntropyCase<T> one(rows, columns, entropy);
        EXPECT_EQ(one.judge(tuned_entropy(one.elements, rows, columns, entropy, session_)), "")
            << rows << "x" << columns << " window " << entropy.window << " levels "
            << entropy.levels;
    }

    Session session_{quick_options()};
};

TEST_F(EntropyHost, IsRightForThinPrimeAndTiledArrays) {
    const std::pair<std::int64_t, std::int64_t> shapes[] = {{1, 1}, {1, 97},   {89, 1},   {2, 3},
                                                            {5, 5}, {53, 131}, {130, 257}};
    for (const auto& [rows, columns] : shapes) {
        expect_right<float>(rows, columns, {});
        expect_right<std::uint8_t>(rows, columns, {15, 256});
    }
    expect_right<std::int32_t>(53, 131, {11, 40});
}

TEST(EntropyHostSessions, CompileTheirDefaultOnce) {
    const TempDir dir;
    Options options = quick_options();
    options.database = dir.path() / "tuning.db";
    const EntropyCase<float> one(53, 131, {});
    for (const std::int64_t compiles : {1, 0}) {
        Session session(options);
        EXPECT_EQ(one.judge(tuned_entropy(one.elements, 53, 131, {}, session)), "");
        EXPECT_EQ(session.counters().compiles, compiles);
    }
}

TEST_F(EntropyHost, OneColumnIsTheProblemOfOneRow) {
    const Problem column = entropy_problem({ElementType::float32, 97, 1, {}});
    EXPECT_EQ(column.sizes, (std::vector<std::int64_t>{1, 97}));
    EXPECT_EQ(column.alignment, 16);
    EXPECT_EQ(entropy_problem({ElementType::float32, 97, 2, {}}).sizes,
              (std::vector<std::int64_t>{97, 2}));
    const EntropyCase<float> one(1, 97, {});
    EXPECT_EQ(tuned_entropy(one.elements, 97, 1, {}, session_),
              tuned_entropy(one.elements, 1, 97, {}, session_));
}

TEST_F(EntropyHost, APreparedHandleGivesTheResultsOfTheCall) {
    const EntropyCase<float> one(53, 131, {});
    const auto prepared = prepare_entropy<float>(53, 131, {}, "host", session_);
    EXPECT_EQ(prepared.info().device, "host");
    std::vector<float> output(one.elements.size());
    prepared(one.elements.data(), output.data());
    EXPECT_EQ(one.judge(output), "");
    EXPECT_EQ(tuned_entropy(one.elements, 53, 131, {}, session_), output);
    expect_error(ErrorKind::usage, "output is a null pointer",
                 [&] { prepared(one.elements.data(), nullptr); });
    const auto nothing = prepare_entropy<float>(0, 131, {}, "host", session_);
    EXPECT_NO_THROW(nothing(nullptr, nullptr));
    expect_error(ErrorKind::usage, "window is 4",
                 [&] { return prepare_entropy<float>(53, 131, {4}, "host", session_); });
}

TEST_F(EntropyHost, AnotherBaseScales) {
    const EntropyCase<float> one(20, 30, {});
    const auto natural = tuned_entropy(one.elements, 20, 30, {}, session_);
    const auto bits = tuned_entropy(one.elements, 20, 30, {5, 16, 2}, session_);
    for (std::size_t i = 0; i < bits.size(); ++i) {
        EXPECT_NEAR(bits[i], natural[i] / std::log(2.0), 2e-6);
    }
}

TEST_F(EntropyHost, WritesToMemoryOfTheCallersOwn) {
    const EntropyCase<float> one(20, 30, {});
    std::vector<float> output(600);
    tuned_entropy(one.elements, 20, 30, std::span(output), {}, session_);
    EXPECT_EQ(one.judge(output), "");
    expect_error(ErrorKind::usage, "the output has 599", [&] {
        tuned_entropy(one.elements, 20, 30, std::span(output).first(599), {}, session_);
    });
}

TEST_F(EntropyHost, AutoIsRightWithAndWithoutGpus) {
    Options options = quick_options();
    options.device = "auto";
    Session session(options);
    const EntropyCase<float> one(53, 131, {});
    EXPECT_EQ(one.judge(tuned_entropy(one.elements, 53, 131, {}, session)), "");
}

TEST_F(EntropyHost, AWindowOfOneLevelHasNoEntropy) {
    const std::vector<float> flat(40 * 40, 3);
    for (const float entropy : tuned_entropy(flat, 40, 40, {}, session_)) {
        EXPECT_EQ(entropy, 0.0F);
    }
}

TEST_F(EntropyHost, ElementsOutsideTheLevelsCountAsTheNearest) {
    EntropyCase<float> one(31, 41, {});
    for (std::size_t i = 0; i < one.elements.size(); i += 3) {
        constexpr float kStrays[] = {-1, std::numeric_limits<float>::quiet_NaN(), 16,
                                     std::numeric_limits<float>::infinity()};
        one.elements[i] = kStrays[i % 4];
        one.levels[i] = i % 4 < 2 ? 0 : 15;
    }
    EXPECT_EQ(one.judge(tuned_entropy(one.elements, 31, 41, {}, session_)), "");
}

TEST_F(EntropyHost, RefusesInvalidEntropies) {
    const std::vector<float> some(6);
    const auto call = [&](const Entropy& entropy) {
        return [this, &some, entropy] { return tuned_entropy(some, 2, 3, entropy, session_); };
    };
    expect_error(ErrorKind::usage, "window is 4", call({4}));
    expect_error(ErrorKind::usage, "window is 17", call({17}));
    expect_error(ErrorKind::usage, "1 levels", call({5, 1}));
    expect_error(ErrorKind::usage, "257 levels", call({5, 257}));
    expect_error(ErrorKind::usage, "base is 1", call({5, 16, 1}));
    expect_error(ErrorKind::usage, "base is nan", call({5, 16, std::nan("")}));
    expect_error(ErrorKind::usage, "the input has 6 elements, but the array is 2 x 4",
                 [&] { return tuned_entropy(some, 2, 4, {}, session_); });
    expect_error(ErrorKind::usage, "-2 x -3",
                 [&] { return tuned_entropy(some, -2, -3, {}, session_); });
    const std::int64_t huge = std::int64_t{1} << 62;
    expect_error(ErrorKind::usage, "input has 6",
                 [&] { return tuned_entropy(some, huge, 4, {}, session_); });
}

TEST_F(EntropyHost, RefusesBadPointersAndSizes) {
    std::vector<float> memory(20);
    const auto call = [&](const float* input, std::int64_t rows, std::int64_t columns,
                          float* output) {
        return [=, this] {
            detail::entropy_host(session_, {ElementType::float32, rows, columns, {}}, input,
                                 output);
        };
    };
    const auto* crooked = reinterpret_cast<const float*>(reinterpret_cast<char*>(&memory[0]) + 1);
    expect_error(ErrorKind::usage, "input is a null", call(nullptr, 2, 3, &memory[0]));
    expect_error(ErrorKind::usage, "output is a null", call(&memory[0], 2, 3, nullptr));
    expect_error(ErrorKind::usage, "input is not aligned", call(crooked, 2, 3, &memory[10]));
    expect_error(ErrorKind::usage, "overlap", call(&memory[0], 2, 3, &memory[5]));
    expect_error(ErrorKind::usage, "negative", call(&memory[0], -1, 3, &memory[6]));
    expect_error(ErrorKind::usage, "at most 2^40",
                 call(&memory[0], std::int64_t{1} << 30, std::int64_t{1} << 30, &memory[6]));
    EXPECT_NO_THROW(call(&memory[0], 2, 3, &memory[6])());
    EXPECT_NO_THROW(call(nullptr, 0, 3, nullptr)());
}

struct Kind {
    ElementType element;
    Entropy entropy;
};

class EntropyHostKernel : public testing::TestWithParam<Kind> {};

TEST_P(EntropyHostKernel, ConfigurationsPassEveryCheck) {
    Session session(quick_options());
    Engine& engine = SessionAccess::engine(session);
    const Kernel& kernel = entropy_kernel(PlatformKind::host);
    const Problem problem = entropy_problem({GetParam().element, 300, 200, GetParam().entropy});
    BinaryCache binaries;
    const TuneReport report = tune({engine.device("host"), kernel, problem}, {.max_evaluations = 5},
                                   {}, binaries, engine.log());
    EXPECT_EQ(report.progress.failed, 0U);
    EXPECT_EQ(report.progress.evaluated, 5U);
}

INSTANTIATE_TEST_SUITE_P(Kinds, EntropyHostKernel,
                         testing::Values(Kind{ElementType::float32, {5, 16}},
                                         Kind{ElementType::uint8, {11, 33}},
                                         Kind{ElementType::int32, {13, 256}}));

}  // namespace
}  // namespace jitune::internal
