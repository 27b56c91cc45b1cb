// SPDX-License-Identifier: Apache-2.0
// The entropy of host memory in chunks, on two host backends in the place of GPUs.

#include <limits>

#include "families/families.hpp"

#include "dispatch/answer/explanation.hpp"
#include "families/entropy/entropy_call.hpp"
#include "families/entropy/entropy_kernel.hpp"
#include "fixtures/await_tunings.hpp"
#include "fixtures/entropy_case.hpp"
#include "fixtures/expect_error.hpp"
#include "fixtures/machine_fixture.hpp"

namespace jitune::internal {
namespace {

using Processors = Placement::Processors;

class PlacedEntropy : public MachineFixture {
protected:
    template <class T>
    std::string complaint(const Placement& placement, bool as_bytes, std::int64_t rows,
                          std::int64_t columns, const Entropy& entropy = {}) {
        const EntropyCase<T> one(rows, columns, entropy);
        std::vector<float> output(one.elements.size(), -1);
        run_placed_entropy(machine_, placement, as_bytes, {kElementType<T>, rows, columns, entropy},
                           one.elements.data(), output.data());
        return one.judge(output);
    }
};

/// Of a database that says what no tuning has written.
TEST_F(PlacedEntropy, DamagedRowsAreRefused) {
    const std::string good =
        "5, 16, jitune::Transfer::elements, jitune::Processors::host, 0, 1, 1024, "
        "jitune::Staging::pinned>";
    const auto load = [&](const std::string& image) {
        return machine_.device().load(
            {"placement", std::make_shared<const std::string>(image), {"place"}});
    };
    EXPECT_NE(load("jitune::place_entropy<float, " + good), nullptr);
    for (const std::string& image :
         {std::string(), std::string("jitune::place_nothing<float>"),
          std::string("jitune::place_entropy<float>"), "jitune::place_entropy<half, " + good,
          "jitune::place_entropy<float, 4" + good.substr(1),
          "jitune::place_entropy<float, x" + good.substr(1),
          "jitune::place_entropy<float, " + good.substr(0, good.size() - 7) + "no>",
          std::string("jitune::place_stencil<unsigned char, 1, jitune::Weighting::sum>")}) {
        expect_error(ErrorKind::device, "load a placement", [&] { load(image); });
    }
}

TEST_F(PlacedEntropy, ChunksOfAnySizeOnAnyNumberOfDevicesAreRight) {
    for (const std::size_t chunk : {1, 4000, 30'000, 10'000'000}) {
        for (const int gpus : {1, 2}) {
            EXPECT_EQ(complaint<float>(placement(gpus, 3, chunk), false, 83, 131), "") << chunk;
        }
    }
    EXPECT_EQ(complaint<std::int32_t>(placement(2, 2, 2000), false, 40, 31, {15, 256}), "");
    EXPECT_EQ(complaint<std::uint8_t>(placement(2, 2, 500), false, 1, 97), "");
    EXPECT_EQ(complaint<std::uint8_t>(placement(2, 2, 1), false, 89, 1), "");
    EXPECT_EQ(complaint<float>(placement(2, 3, 401), false, 1, 5003), "");
    EXPECT_EQ(complaint<float>(placement(2, 3, 401), true, 5003, 1), "");
}

TEST_F(PlacedEntropy, LevelsMayTravelAsBytesAndCoresHelp) {
    EXPECT_EQ(complaint<float>(placement(2, 2, 3000), true, 67, 90, {5, 256}), "");
    EXPECT_EQ(complaint<std::int32_t>(placement(1, 2, 3000), true, 67, 90), "");
    EXPECT_EQ(complaint<float>(placement(2, 2, 3000, Processors::all), true, 67, 90), "");
    EXPECT_EQ(complaint<float>(placement(0, 1, 1, Processors::host), false, 67, 90), "");
}

TEST_F(PlacedEntropy, TheDriverMayCopyFromTheCallersMemory) {
    const Placement direct = placement(1, 1, 5000, Processors::gpus, Staging::pageable);
    EXPECT_EQ(complaint<float>(direct, false, 67, 90), "");
    EXPECT_EQ(complaint<float>(direct, true, 67, 90), "");  // bytes have to be made somewhere
}

TEST_F(PlacedEntropy, SeveralThreadsShareThePipeline) {
    std::vector<std::string> complaints(4);
    std::vector<std::thread> threads;
    for (std::string& mine : complaints) {
        threads.emplace_back([&] {
            for (int i = 0; i < 5; ++i) {
                mine += complaint<float>(placement(2, 2, 2000), i % 2 == 0, 60, 50);
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(complaints, std::vector<std::string>(4));
}

TEST_F(PlacedEntropy, BytesAreLevelsAsTheKernelsTakeThem) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const std::vector<float> floats{
        -1, 0,     1.2F,      6.8F,       15,
        16, 1e30F, kInfinity, -kInfinity, std::numeric_limits<float>::quiet_NaN()};
    std::vector<std::uint8_t> bytes(floats.size());
    write_level_bytes(floats.data(), ElementType::float32, floats.size(), 16, bytes.data());
    EXPECT_EQ(bytes, (std::vector<std::uint8_t>{0, 0, 1, 7, 15, 15, 15, 15, 0, 0}));
    const std::vector<std::int32_t> integers{-7, 0, 255, 256, 1 << 30};
    bytes.resize(integers.size());
    write_level_bytes(integers.data(), ElementType::int32, integers.size(), 256, bytes.data());
    EXPECT_EQ(bytes, (std::vector<std::uint8_t>{0, 0, 255, 255, 255}));
}

TEST_F(PlacedEntropy, APlacementNeedsTheDevicesThatItNames) {
    expect_error(ErrorKind::device, "gpus=4",
                 [&] { complaint<float>(placement(4, 1, 1000), false, 9, 9); });
}

/// Placements as configurations of the device "machine".
class EntropyPlacement : public MachineFixture {
protected:
    EntropyPlacement() : MachineFixture(stored_options()) {}

    static Options stored_options() {
        Options options = quick_options();
        options.database = dir().path() / "tuning.db";
        options.on_miss = TunePolicy::now;
        options.budget = std::chrono::milliseconds(500);
        return options;
    }
    static TempDir& dir() {
        static TempDir dir;
        return dir;
    }
};

TEST_F(EntropyPlacement, IsSearchedStoredFoundAndExplained) {
    const EntropyCase<float> one(80, 70, {});
    const detail::EntropyRequest request{ElementType::float32, 80, 70, {}};
    static_cast<void>(resolve_entropy(engine_, machine_.device(), request));
    await_tunings(engine_);
    const Resolved& tuned = resolve_entropy(engine_, machine_.device(), request);
    EXPECT_EQ(tuned.info.origin, Origin::tuned);
    EXPECT_EQ(tuned.info.device, "machine");
    EXPECT_TRUE(tuned.info.configuration.find("processors=") != std::string::npos)
        << tuned.info.configuration;

    Engine again(stored_options(), families());
    Machine later(again, again.host().device(0), {first_.get(), second_.get()});
    const Resolved& stored = resolve_entropy(again, later.device(), request);
    EXPECT_EQ(stored.info.origin, Origin::stored);
    EXPECT_EQ(stored.info.configuration, tuned.info.configuration);

    const Kernel& kernel = entropy_kernel_on(later.device());
    const Explanation explained =
        explain(again, {later.device(), kernel, entropy_problem(request)});
    ASSERT_FALSE(explained.rows.empty());
    EXPECT_TRUE(explained.rows.front().serves) << explained.rows.front().reason;
    EXPECT_EQ(explained.rows.front().winner.configuration, tuned.info.configuration);

    Machine other(again, again.host().device(0), {first_.get()});
    EXPECT_FALSE(explain(again, {other.device(), kernel, entropy_problem(request)}).rows[0].serves)
        << "a machine of one GPU is another class";
}

TEST_F(EntropyPlacement, EveryPlacementOfTheSpaceIsRight) {
    const Kernel& kernel = machine_.kernel("entropy");
    const Problem problem = entropy_problem({ElementType::float32, 600, 500, {}});
    BinaryCache binaries;
    const TuneReport report =
        tune({machine_.device(), kernel, problem}, {.strategy = "random", .max_evaluations = 12},
             {}, binaries, engine_.log());
    EXPECT_GT(report.progress.space, 8U);
    EXPECT_EQ(report.progress.failed, 0U);
    for (const Measurement& one : report.measurements) {
        EXPECT_EQ(one.verdict, Verdict::timed) << one.configuration << ": " << one.reason;
    }
}

TEST_F(EntropyPlacement, AHostWithoutGpusHasOnePlacement) {
    Machine bare(engine_, engine_.host().device(0), {});
    const Kernel& kernel = bare.kernel("entropy");
    for (const std::int64_t rows : {1, 900, 1 << 20}) {
        const Problem problem = entropy_problem({ElementType::float32, rows, 500, {}});
        EXPECT_EQ(kernel.kernel_template.space(problem, bare.device().info()).size(), 1U) << rows;
    }
}

TEST_F(EntropyPlacement, TheHostIsTheDefaultAtEverySize) {
    const KernelTemplate& source = machine_.kernel("entropy").kernel_template;
    for (const std::int64_t rows : {1, 900, 1 << 20}) {
        const Problem problem = entropy_problem({ElementType::float32, rows, 500, {}});
        const SearchSpace space = source.space(problem, machine_.device().info());
        const std::string standard =
            source.default_configuration(problem, machine_.device().info()).text();
        EXPECT_TRUE(standard.starts_with("processors=host")) << standard;
    }
}

}  // namespace
}  // namespace jitune::internal
