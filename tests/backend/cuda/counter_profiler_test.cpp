// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/measure/counter_profiler.hpp"

#include <cmath>
#include <fstream>
#include <string>
#include <thread>

#include "fake/fake_cuda_fixture.hpp"
#include "fake/fake_cupti.hpp"
#include "support/temp_dir.hpp"

namespace jitune::internal {
namespace {

TEST(CuptiTable, IsLookedForInToolkitsAndPackages) {
    const TempDir dir;
    const auto add = [&](const std::string& name) {
        std::filesystem::create_directories((dir.path() / name).parent_path());
        std::ofstream(dir.path() / name) << "a library";
        return (dir.path() / name).string();
    };
    const std::string of_toolkit = add("cuda/extras/CUPTI/lib64/libcupti.so.12");
    const std::string of_cuda_13 = add("site-packages/nvidia/cu13/lib/libcupti.so.13");
    const std::string of_cuda_12 = add("site-packages/nvidia/cuda_cupti/lib/libcupti.so.12");
    const auto files = toolkit_files(cupti_library(), dir.path() / "cuda",
                                     dir.path() / "site-packages/jitune/_jitune.abi3.so");
    const std::vector<std::string> first(files.begin(), files.begin() + 6);
    EXPECT_EQ(first, (std::vector<std::string>{of_toolkit, of_cuda_13, of_cuda_12, "libcupti.so.13",
                                               "libcupti.so.12", "libcupti.so"}));
    EXPECT_EQ(files.back(), "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so");
}

class CountersOfAProfiler : public FakeCudaFixture {
protected:
    std::string text_of(const CounterOutcome& outcome) {
        const auto* text = std::get_if<std::string>(&outcome);
        return text != nullptr ? *text : "";
    }
};

TEST_F(CountersOfAProfiler, SayWhyThereAreNone) {
    const auto program = load("k");
    const std::string text = text_of(device().make_bench()->counters(*program, plain_launch()));
    EXPECT_NE(text.find("the fake has no CUPTI"), std::string::npos) << text;
}

#if __has_include(<cupti_range_profiler.h>)

TEST(CuptiTable, SaysWhereItLookedAndWhatToDo) {
    ASSERT_EQ(setenv("JITUNE_CUPTI", "/nowhere/libcupti.so", 1), 0);
    try {
        load_cupti();
        FAIL() << "loaded what is not there";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::unavailable);
        EXPECT_NE(std::string(error.what()).find("/nowhere/libcupti.so"), std::string::npos);
        EXPECT_NE(std::string(error.what()).find("set JITUNE_CUPTI"), std::string::npos);
    }
    unsetenv("JITUNE_CUPTI");
}

FakeCupti& cupti = fake_cupti();

class CounterProfilerTest : public CountersOfAProfiler {
protected:
    CounterProfilerTest() {
        cupti = FakeCupti{};
        CudaTables tables = fake.tables();
        tables.cupti = load_fake_cupti;
        platform = make_cuda_platform(tables, Log(LogLevel::off));
        fake.on_launch = [](FakeLaunch&) {
            ++cupti.kernels;
            return CUDA_SUCCESS;
        };
    }
    void TearDown() override {
        program_.reset();
        EXPECT_EQ(cupti.misuse, std::vector<std::string>{});
        EXPECT_EQ(cupti.alive, std::multiset<std::string>{});
        CountersOfAProfiler::TearDown();
    }

    static Launch launch_of(std::size_t kernels) {
        Launch launch = plain_launch();
        launch.step_count = kernels;
        for (std::size_t i = 1; i < kernels; ++i) {
            launch.steps[i] = launch.steps[0];
        }
        return launch;
    }
    CounterOutcome counters(std::size_t kernels = 1) {
        if (!program_) {
            program_ = load("k");
        }
        return device().make_bench()->counters(*program_, launch_of(kernels));
    }
    /// By name.
    std::map<std::string, CounterValue> values(std::size_t kernels = 1) {
        std::map<std::string, CounterValue> found;
        const CounterOutcome outcome = counters(kernels);
        for (const CounterValue& value : std::get<std::vector<CounterValue>>(outcome)) {
            found[value.name] = value;
        }
        return found;
    }

    std::shared_ptr<const Program> program_;
};

TEST_F(CounterProfilerTest, GivesEachCounterItsNameValueAndUnit) {
    cupti.values = {{"gpu__time_duration.sum", {1500}},
                    {"dram__throughput.avg.pct_of_peak_sustained_elapsed", {91.5}},
                    {"sm__warps_active.avg.pct_of_peak_sustained_active", {62}},
                    {"dram__bytes_read.sum", {4096}},
                    {"smsp__average_warps_issue_stalled_wait_per_issue_active.ratio", {2.5}}};
    const auto found = values();
    EXPECT_EQ(found.size(), 16U);
    const auto expect = [&](const std::string& name, double value, const std::string& unit) {
        EXPECT_EQ(found.at(name).value, value) << name;
        EXPECT_EQ(found.at(name).unit, unit) << name;
    };
    expect("duration", 1500, "ns");
    expect("dram_throughput", 91.5, "%");
    expect("occupancy", 62, "%");
    expect("l2_hit_rate", 1, "%");
    expect("dram_read", 4096, "bytes");
    expect("stall_wait", 2.5, "warps");
    expect("stall_long_scoreboard", 1, "warps");
}

TEST_F(CounterProfilerTest, AddsAndAveragesTheKernelsOfALaunch) {
    cupti.values = {{"gpu__time_duration.sum", {100, 300}},
                    {"dram__bytes_write.sum", {1000, 24}},
                    {"lts__throughput.avg.pct_of_peak_sustained_elapsed", {20, 60}}};
    const auto found = values(2);
    EXPECT_EQ(found.at("duration").value, 400);
    EXPECT_EQ(found.at("dram_write").value, 1024);
    EXPECT_EQ(found.at("l2_throughput").value, 50);
    EXPECT_EQ(found.at("occupancy").value, 1);
}

TEST_F(CounterProfilerTest, LeavesOutWhatTheChipDoesNotKnow) {
    cupti.unknown = {"dram__bytes_read.sum", "gpu__time_duration.sum"};
    cupti.values = {{"lts__throughput.avg.pct_of_peak_sustained_elapsed", {20, 60}}};
    const auto found = values(2);
    EXPECT_EQ(found.size(), 14U);
    EXPECT_EQ(found.count("dram_read"), 0U);
    EXPECT_EQ(found.at("l2_throughput").value, 40) << "no times: each kernel counts the same";
}

TEST_F(CounterProfilerTest, LeavesOutWhatIsNoNumber) {
    cupti.values = {{"lts__t_sector_hit_rate.pct", {50, std::nan("")}}};
    const auto found = values(2);
    EXPECT_EQ(found.size(), 15U);
    EXPECT_EQ(found.count("l2_hit_rate"), 0U);
}

TEST_F(CounterProfilerTest, SaysWhatToDoWithoutRights) {
    cupti.answer = 35;
    for (const char* function :
         {"cuptiRangeProfilerEnable", "cuptiProfilerGetCounterAvailability"}) {
        cupti.failing = function;
        const std::string text = text_of(counters());
        for (const std::string part : {function, "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES",
                                       "CAP_SYS_ADMIN", "NVreg_RestrictProfilingToAdminUsers=0",
                                       "https://developer.nvidia.com/ERR_NVGPUCTRPERM"}) {
            EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
        }
    }
}

TEST_F(CounterProfilerTest, GivesEverythingBackWhicheverCallFails) {
    values();
    const int calls = cupti.calls;
    ASSERT_GT(calls, 30);
    int refused = 0;
    for (int nth = 1; nth <= calls; ++nth) {
        cupti = FakeCupti{};
        cupti.failing_call = nth;
        const std::string text = text_of(counters());
        EXPECT_EQ(cupti.alive, std::multiset<std::string>{}) << cupti.failing;
        EXPECT_EQ(cupti.misuse, std::vector<std::string>{}) << cupti.failing;
        if (!text.empty()) {
            ++refused;
            EXPECT_NE(text.find(cupti.failing + ": CUPTI_ERROR_UNKNOWN (999)"), std::string::npos)
                << text;
        }
    }
    // All but the metrics that are tried, and what gives back: two hosts, the profiler, the
    // session.
    EXPECT_EQ(refused, calls - 16 - 4);
    cupti = FakeCupti{};
    EXPECT_EQ(values().size(), 16U) << "later ones are as good";
}

TEST_F(CounterProfilerTest, SaysSoWhereTheChipHasNone) {
    cupti.unknown = {"*"};
    EXPECT_NE(text_of(counters()).find("cuptiProfilerHostConfigAddMetrics"), std::string::npos);
}

TEST_F(CounterProfilerTest, RefusesKernelsOfOtherThreads) {
    fake.on_launch = [](FakeLaunch&) {
        cupti.kernels += 2;
        return CUDA_SUCCESS;
    };
    const std::string text = text_of(counters(2));
    EXPECT_NE(text.find("counted 4 kernels in a launch of 2"), std::string::npos) << text;
    fake.on_launch = [](FakeLaunch&) { return CUDA_SUCCESS; };
    EXPECT_NE(text_of(counters()).find("counted 0 kernels"), std::string::npos);
}

TEST_F(CounterProfilerTest, PassesOnThatALaunchFails) {
    fake.on_launch = [](FakeLaunch&) { return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES; };
    const std::string text = expect_error(ErrorKind::device, [&] { counters(); });
    EXPECT_NE(text.find("hardware counters"), std::string::npos) << text;
    EXPECT_EQ(cupti.alive, std::multiset<std::string>{});
}

TEST_F(CounterProfilerTest, UsesTheContextOfTheThread) {
    values();
    EXPECT_EQ(cupti.context, fake.primary_context(0));
    const CUcontext own = fake.make_context(0);
    fake.make_current(own);
    values();
    EXPECT_EQ(cupti.context, own);
    fake.make_current(nullptr);
    EXPECT_EQ(cupti.loads, 1);
}

TEST_F(CounterProfilerTest, LetsOneThreadProfileAtATime) {
    program_ = load("k");
    const auto read = [this] {
        for (int i = 0; i < 50; ++i) {
            values();
        }
    };
    std::thread other(read);
    read();
    other.join();
}

#endif

}  // namespace
}  // namespace jitune::internal
