// SPDX-License-Identifier: Apache-2.0
// Formulas for each row, column or segment on a GPU, beside the same formulas over each line on the
// host.

#include "fixtures/gpu_fixture.hpp"
#include "fixtures/lines_case.hpp"

namespace jitune::internal {
namespace {

class LinesGpu : public GpuFixture {
protected:
    using Bytes = DeviceArray<std::byte>;
    using Kind = FormulaShape::Kind;

    /// Each array begins `offset` elements past an aligned address.
    void expect_right(Session& session, const LinesCase& one, std::size_t offset = 0) {
        SCOPED_TRACE(fmt::format("{} lines of {}, kind {}, offset {}: {}", one.lines, one.length,
                                 static_cast<int>(one.kind), offset, one.text));
        std::vector<std::unique_ptr<Bytes>> arrays, results;
        std::vector<FormulaArgument> inputs, outputs;
        for (const LinesCase::Named& input : one.inputs) {
            arrays.push_back(std::make_unique<Bytes>(
                *driver_, stored_values(input.type, input.values), offset * bytes_of(input.type)));
            inputs.emplace_back(
                input.name, FormulaPointer{KernelArgument::array(input.type, arrays.back()->data()),
                                           input.extent});
        }
        for (const LinesCase::Named& output : one.outputs) {
            results.push_back(std::make_unique<Bytes>(*driver_,
                                                      output.values.size() * bytes_of(output.type),
                                                      offset * bytes_of(output.type)));
            outputs.emplace_back(output.name,
                                 KernelArgument::array(output.type, results.back()->data()));
        }
        const DeviceArray<std::int64_t> offsets(*driver_, one.offsets);
        MapReduce(one.text, session)(inputs, one.shape(offsets.data()), outputs);
        for (std::size_t k = 0; k < outputs.size(); ++k) {
            EXPECT_EQ(
                complaint(one.outputs[k], read_values(one.outputs[k].type, results[k]->download())),
                "")
                << one.outputs[k].name;
        }
    }

    Session host_{[] {
        Options options;
        options.database.clear();
        options.on_miss = TunePolicy::template_default;
        options.worker = "none";
        return options;
    }()};
};

TEST_F(LinesGpu, GivesForEachLineWhatAFormulaOverItGives) {
    constexpr std::pair<std::int64_t, std::int64_t> kSizes[]{
        {70, 3}, {3, 5000}, {130, 129}, {64, 512}};
    for (std::size_t formula = 0; formula < std::size(LinesCase::kFormulas); ++formula) {
        for (const Kind kind : {Kind::rows, Kind::columns, Kind::segments}) {
            if (kind == Kind::segments && formula >= LinesCase::kWithoutPlaces) {
                continue;
            }
            for (const auto& [lines, length] : kSizes) {
                const ElementType type = lines == 70     ? ElementType::int8
                                         : length == 512 ? ElementType::bfloat16
                                                         : ElementType::float32;
                expect_right(session_, {formula, kind, lines, length, type, host_},
                             length == 512 ? 0 : static_cast<std::size_t>(lines % 3));
            }
        }
    }
}

TEST_F(LinesGpu, TunedLinesGiveTheSameAnswers) {
    Session tuning(quick_options(TunePolicy::now));
    for (std::size_t formula = 0; formula < std::size(LinesCase::kFormulas); ++formula) {
        for (const Kind kind : {Kind::rows, Kind::columns, Kind::segments}) {
            if (kind == Kind::segments && formula >= LinesCase::kWithoutPlaces) {
                continue;
            }
            expect_right(tuning, {formula, kind, 5, 40'000, ElementType::float32, host_});
            expect_right(tuning, {formula, kind, 700, 192, ElementType::float32, host_});
        }
    }
}

}  // namespace
}  // namespace jitune::internal
