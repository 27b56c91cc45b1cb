// SPDX-License-Identifier: Apache-2.0
// Formulas for each row, column or segment on the host, compiled for real.

#include <gtest/gtest.h>

#include "fixtures/expect_error.hpp"
#include "fixtures/lines_case.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {
namespace {

class LinesHost : public testing::Test {
protected:
    using Kind = FormulaShape::Kind;

    static Options quick_options(TunePolicy policy) {
        Options options;
        options.database.clear();
        options.on_miss = policy;
        options.worker = "none";
        options.budget = std::chrono::milliseconds(200);
        return options;
    }

    static void expect_right(Session& session, const LinesCase& one) {
        SCOPED_TRACE(fmt::format("{} lines of {}, kind {}: {}", one.lines, one.length,
                                 static_cast<int>(one.kind), one.text));
        std::vector<std::vector<std::byte>> arrays, results;
        std::vector<FormulaArgument> inputs, outputs;
        for (const LinesCase::Named& input : one.inputs) {
            arrays.push_back(stored_values(input.type, input.values));
            inputs.emplace_back(
                input.name, FormulaPointer{KernelArgument::array(input.type, arrays.back().data()),
                                           input.extent});
        }
        for (const LinesCase::Named& output : one.outputs) {
            results.emplace_back(std::max<std::size_t>(output.values.size(), 1) *
                                 bytes_of(output.type));
            outputs.emplace_back(output.name,
                                 KernelArgument::array(output.type, results.back().data()));
        }
        MapReduce(one.text, session).on_host(inputs, one.shape(one.offsets.data()), outputs);
        for (std::size_t k = 0; k < outputs.size(); ++k) {
            EXPECT_EQ(complaint(one.outputs[k], read_values(one.outputs[k].type, results[k])), "")
                << one.outputs[k].name;
        }
    }

    Session session_{quick_options(TunePolicy::template_default)};
};

TEST_F(LinesHost, GivesForEachLineWhatAFormulaOverItGives) {
    constexpr std::pair<std::int64_t, std::int64_t> kSizes[]{
        {1, 1}, {70, 3}, {3, 5000}, {130, 129}};
    for (std::size_t formula = 0; formula < std::size(LinesCase::kFormulas); ++formula) {
        for (const Kind kind : {Kind::rows, Kind::columns, Kind::segments}) {
            if (kind == Kind::segments && formula >= LinesCase::kWithoutPlaces) {
                continue;
            }
            for (const auto& [lines, length] : kSizes) {
                const ElementType type = lines == 70 ? ElementType::int8 : ElementType::float32;
                expect_right(session_, {formula, kind, lines, length, type, session_});
            }
        }
    }
}

TEST_F(LinesHost, LongLinesAreSharedAmongThreads) {
    for (const Kind kind : {Kind::rows, Kind::columns, Kind::segments}) {
        for (const std::size_t formula : {0, 2}) {
            expect_right(session_, {formula, kind, 2, 300'000, ElementType::float32, session_});
        }
    }
}

TEST_F(LinesHost, LinesAreTunedAndStayRight) {
    Session tuning(quick_options(TunePolicy::now));
    for (const Kind kind : {Kind::rows, Kind::columns, Kind::segments}) {
        expect_right(tuning, {0, kind, 300, 200, ElementType::float32, session_});
    }
}

TEST_F(LinesHost, LinesWithoutElementsHaveTheResultsOfTheOperations) {
    const MapReduce formula("s = sum(x); m = min(x); y[i] = x", session_);
    std::vector<float> sum(3, 7), least(3, 7);
    const float* const none = nullptr;
    formula.on_host({{"x", none}}, each_row(3, 0),
                    {{"s", sum.data()}, {"m", least.data()}, {"y", sum.data()}});
    EXPECT_EQ(sum, std::vector<float>(3, 0));
    EXPECT_EQ(least, std::vector<float>(3, INFINITY));
    formula.on_host({{"x", none}}, each_row(0, 3),
                    {{"s", sum.data()}, {"m", least.data()}, {"y", sum.data()}});
    formula.on_host({{"x", none}}, each_column(3, 0),
                    {{"s", sum.data()}, {"m", least.data()}, {"y", sum.data()}});
}

TEST_F(LinesHost, ElementsOutsideOfSegmentsAreNeitherReducedNorWritten) {
    const std::vector<float> x{1, 2, 4, 8, 16, 32};
    const std::vector<std::int32_t> offsets{1, 3, 4};
    std::vector<float> sum(2), y(6, 7);
    MapReduce("s = sum(x); y[i] = x + s", session_)
        .on_host({{"x", x.data()}}, each_segment(offsets.data(), 2, 6),
                 {{"s", sum.data()}, {"y", y.data()}});
    EXPECT_EQ(sum, (std::vector<float>{6, 8}));
    EXPECT_EQ(y, (std::vector<float>{7, 8, 10, 16, 7, 7}));
}

TEST_F(LinesHost, APlaceOfALineIsNoResult) {
    const std::vector<float> w{1, 2};
    std::vector<float> r(2);
    for (const char* const text : {"r = w + sum(w)", "r = min(w) + w"}) {
        expect_error(ErrorKind::usage, "\"w\" has a value for each element", [&] {
            MapReduce(text, session_)
                .on_host({{"w", per_column(w.data())}}, each_row(2, 2), {{"r", r.data()}});
        });
    }
    MapReduce("r = max(w, w < 2)", session_)
        .on_host({{"w", per_column(w.data())}}, each_row(2, 2), {{"r", r.data()}});
    EXPECT_EQ(r, std::vector<float>(2, 1));
}

TEST_F(LinesHost, RefusesArgumentsThatTheShapeHasNot) {
    const MapReduce formula("s = sum(x * w)", session_);
    const std::vector<float> x(4, 1), w(4, 1);
    float sum = 0;
    expect_error(ErrorKind::usage, "\"w\" has one value per row, but the call has no such", [&] {
        formula.on_host({{"x", x.data()}, {"w", per_row(w.data())}}, 4, {{"s", &sum}});
    });
    expect_error(ErrorKind::usage, "\"w\" has one value per segment", [&] {
        formula.on_host({{"x", x.data()}, {"w", per_segment(w.data())}}, each_row(2, 2),
                        {{"s", &sum}});
    });
    const std::vector<std::int32_t> beyond{0, 3, 5}, falling{0, 3, 2};
    const MapReduce sums("s = sum(x)", session_);
    std::vector<float> results(2);
    for (const auto& [offsets, words] :
         {std::pair(beyond.data(), "offset 2 of the segments is 5"),
          std::pair(falling.data(), "offset 2 of the segments is 2")}) {
        expect_error(ErrorKind::usage, words, [&] {
            sums.on_host({{"x", x.data()}}, each_segment(offsets, 2, 4), {{"s", results.data()}});
        });
    }
    const std::int64_t* const nowhere = nullptr;
    expect_error(ErrorKind::usage, "offsets", [&] {
        sums.on_host({{"x", x.data()}}, each_segment(nowhere, 2, 4), {{"s", results.data()}});
    });
    expect_error(ErrorKind::usage, "offsets of segments must be an array of integers", [&] {
        sums.on_host({{"x", x.data()}}, {FormulaShape::Kind::segments, 2, 4, x.data()},
                     {{"s", results.data()}});
    });
    expect_error(ErrorKind::usage, "-1 rows and 4 columns", [&] {
        formula.on_host({{"x", x.data()}, {"w", per_row(w.data())}}, each_row(-1, 4),
                        {{"s", &sum}});
    });
    expect_error(ErrorKind::usage, "all elements at most 2^40", [&] {
        formula.on_host({{"x", x.data()}, {"w", per_row(w.data())}},
                        each_row(std::int64_t{1} << 30, std::int64_t{1} << 30), {{"s", &sum}});
    });
}

}  // namespace
}  // namespace jitune::internal
