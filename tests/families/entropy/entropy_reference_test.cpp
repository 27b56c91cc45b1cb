// SPDX-License-Identifier: Apache-2.0
// What kernels are judged by, against the definition itself.

#include "families/entropy/entropy_reference.hpp"

#include <cmath>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "families/entropy/entropy_kernel.hpp"

namespace jitune::internal {
namespace {

/// -sum p log p over the window, of p alone.
double by_definition(const LevelArray& array, int window, std::int64_t row, std::int64_t column) {
    std::map<int, double> counts;
    double elements = 0;
    for (std::int64_t y = row - window / 2; y <= row + window / 2; ++y) {
        for (std::int64_t x = column - window / 2; x <= column + window / 2; ++x) {
            if (y >= 0 && y < array.rows && x >= 0 && x < array.columns) {
                const auto i = static_cast<std::size_t>(y * array.columns + x);
                ++counts[array.pattern[i % array.pattern.size()]];
                ++elements;
            }
        }
    }
    double entropy = 0;
    for (const auto& [level, count] : counts) {
        entropy -= count / elements * std::log(count / elements);
    }
    return entropy;
}

LevelArray noise(std::int64_t rows, std::int64_t columns, int levels, std::size_t period) {
    std::mt19937 random(3);
    LevelArray array{{}, rows, columns};
    for (std::size_t i = 0; i < period; ++i) {
        array.pattern.push_back(static_cast<std::uint8_t>(random() % unsigned(levels)));
    }
    return array;
}

/// The reference's own answers, as floats.
std::vector<float> answers(const EntropyReference& reference, const LevelArray& array) {
    std::vector<float> output;
    for (std::int64_t y = 0; y < array.rows; ++y) {
        for (std::int64_t x = 0; x < array.columns; ++x) {
            output.push_back(static_cast<float>(reference.at(y, x)));
        }
    }
    return output;
}

TEST(EntropyReference, IsTheDefinitionAtEveryElement) {
    const std::pair<std::int64_t, std::int64_t> shapes[] = {
        {1, 1}, {1, 29}, {31, 1}, {4, 5}, {13, 17}};
    for (const auto& [rows, columns] : shapes) {
        for (const int window : {3, 5, 15}) {
            const LevelArray array = noise(rows, columns, 16, 37);
            const EntropyReference reference(array, {window, 16});
            for (std::int64_t y = 0; y < rows; ++y) {
                for (std::int64_t x = 0; x < columns; ++x) {
                    EXPECT_NEAR(reference.at(y, x), by_definition(array, window, y, x), 1e-12)
                        << rows << "x" << columns << " window " << window << ": " << y << " " << x;
                }
            }
        }
    }
}

TEST(EntropyReference, IsZeroForOneLevelAndTheLogarithmForEqualCounts) {
    const EntropyReference flat({{7}, 20, 20}, {5, 16});
    EXPECT_NEAR(flat.at(10, 10), 0, 1e-12);
    const EntropyReference alike({{0, 1, 2}, 30, 30}, {3, 3});  // each row is the same
    EXPECT_NEAR(alike.at(10, 10), std::log(3.0), 1e-12);
}

TEST(EntropyReference, AgreesWithItselfOverEveryBorderAndPeriod) {
    for (const std::size_t period : {1u, 7u, 101u, 5000u}) {
        const LevelArray array = noise(23, 47, 16, period);
        const EntropyReference reference(array, {5, 16});
        EXPECT_EQ(reference.compare(answers(reference, array), 1e-6), "") << period;
    }
}

TEST(EntropyReference, SeesOneWrongElementWhereverItIs) {
    const LevelArray array = noise(23, 47, 16, 101);
    const EntropyReference reference(array, {5, 16});
    for (const std::int64_t place :
         {0L, 46L, 47L * 11 + 1, 47L * 11 + 20, 47L * 11 + 45, 47L * 23 - 1}) {
        for (const float wrong : {-1.0F, std::nanf("")}) {
            std::vector<float> output = answers(reference, array);
            output[static_cast<std::size_t>(place)] = wrong;
            const std::string complaint = reference.compare(output, 1e-6);
            EXPECT_EQ(complaint.find("row " + std::to_string(place / 47) + " column " +
                                     std::to_string(place % 47) + ":"),
                      0U)
                << complaint;
        }
    }
}

TEST(EntropyWorkload, RefusesUnwrittenOutputs) {
    const Problem problem{
        "entropy", {{"element", "float32"}, {"window", "5"}, {"levels", "16"}}, {40, 50}};
    const Case timed = EntropyWorkload().timed(problem);
    EXPECT_EQ(timed.arguments.at(2).bytes, 40U * 50 * 4);
    EXPECT_EQ(timed.arguments.at(0).bytes, 40U * 50 * 4);
    const std::vector<std::vector<std::byte>> outputs{std::vector<std::byte>(40 * 50 * 4)};
    EXPECT_NE(timed.judge(outputs), "");
}

}  // namespace
}  // namespace jitune::internal
