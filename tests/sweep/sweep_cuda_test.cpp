// SPDX-License-Identifier: Apache-2.0
#include <set>

#include <gtest/gtest.h>

#include "fake/fake_reduce.hpp"
#include "families/families.hpp"
#include "families/reduce/reduce_call.hpp"
#include "support/temp_dir.hpp"
#include "sweep/sweep.hpp"

namespace jitune::internal {
namespace {

class Nobody : public SweepObserver {
public:
    void done(const SweepRow&) override {}
    void progress(const SweepState&) override {}
};

std::vector<SweepProblem> sums_of(std::initializer_list<std::int64_t> sizes) {
    std::vector<SweepProblem> problems;
    for (const std::int64_t n : sizes) {
        problems.push_back({reduce_problem({ElementType::int32, ElementType::int32,
                                            Reduction(ReduceOp::sum), detail::ReduceShape::all(n)}),
                            [](const Device& device) -> const Kernel& {
                                return reduce_kernel(ReduceKind::all, device.info().platform);
                            },
                            "int32 sum", 4.0 * static_cast<double>(n)});
    }
    return problems;
}

TEST(SweepOnTwoGpus, EachClassHasAllProblemsTunedInOneProcess) {
    FakeCuda fake(2);
    fake.on_launch = [](FakeLaunch& launch) {
        launch.nanoseconds = 1e6;  // a sample needs two of them
        return run_reduce(launch);
    };
    fake.device(1).attributes[CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT] = 66;
    const TempDir dir;
    Options options;
    options.database = dir.path() / "tuning.db";
    options.worker = "none";
    options.strategy = "random";
    options.budget = options.budget.zero();
    options.log_level = LogLevel::off;
    {
        std::vector<std::unique_ptr<Platform>> platforms;
        platforms.push_back(make_cuda_platform(fake.tables(), Log(LogLevel::off)));
        Engine engine(options, std::move(platforms), families());
        const std::atomic<bool> stop{false};
        Nobody nobody;
        SweepSearch search;
        search.evaluations = 3;
        Sweep sweep(engine, sweep_devices(engine, "cuda"), sums_of({1000, 1 << 12, 1 << 14}),
                    search, stop, nobody);
        const SweepResult result = sweep.run();
        EXPECT_EQ(result.count(SweepRow::Outcome::tuned), 6U);
        ASSERT_EQ(result.rows.size(), 6U);
        for (std::size_t i = 0; i < result.rows.size(); ++i) {
            EXPECT_EQ(result.rows[i].device, i % 2 == 0 ? "cuda:0" : "cuda:1");
            EXPECT_EQ(result.rows[i].tune.failed, 0U);
        }
        EXPECT_EQ(engine.store()->winners().size(), 6U);
    }
    std::set<int> devices;
    for (const FakeLaunch& launch : fake.launches()) {
        devices.insert(launch.device);
    }
    EXPECT_EQ(devices, (std::set<int>{0, 1}));
    EXPECT_EQ(fake.leaks(), std::vector<std::string>{});
    EXPECT_EQ(fake.violations(), std::vector<std::string>{});
}

}  // namespace
}  // namespace jitune::internal
