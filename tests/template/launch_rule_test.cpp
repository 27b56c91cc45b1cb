// SPDX-License-Identifier: Apache-2.0
#include "template/launch_rule.hpp"

#include <cstdlib>
#include <new>

#include "backend/launch.hpp"
#include "fake/fake_device.hpp"
#include "fixtures/expect_error.hpp"
#include "template/kernel_template.hpp"

// Sanitizers have operators of their own, which know which of them a piece of memory came from: to
// replace some would be to mix them.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define JITUNE_COUNTS_ALLOCATIONS 1
#endif

#ifdef JITUNE_COUNTS_ALLOCATIONS
namespace {

thread_local std::size_t allocations = 0;

void* count_and_allocate(std::size_t bytes) {
    ++allocations;
    if (void* memory = std::malloc(bytes == 0 ? 1 : bytes)) {
        return memory;
    }
    throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t bytes) {
    return count_and_allocate(bytes);
}
void* operator new[](std::size_t bytes) {
    return count_and_allocate(bytes);
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete[](void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
    std::free(memory);
}
#endif

namespace jitune::internal {
namespace {

constexpr std::int64_t kTile = 256 * 16;
constexpr std::int64_t kMostBlocks = 4 * 8;  // the fake device's SMs, 8 blocks on each

constexpr std::string_view kTiled = R"toml(/* jitune template
kernel = "tiled"
backend = "cuda"
sizes = ["n"]
[types.element]
float32 = "float"
float64 = "double"
[parameters]
finish = { values = ["last_block", "two_launches"], default = "last_block", type = "Finish" }
[derived]
blocks = "max(1, min(sm_count * 8, ceil_div(n, 4096)))"
[arguments]
values = { access = "in", type = "element", count = "n" }
n = { access = "scalar", type = "uint64", value = "n" }
partials = { access = "scratch", type = "element", count = "blocks" }
count = { access = "scalar", type = "uint32", value = "blocks" }
ticket = { access = "zeroed", type = "uint32", count = "1" }
result = { access = "out", type = "element", count = "1" }
[[launch]]
entry = "tiled"
template = ["element", "finish"]
arguments = ["values", "n", "partials", "ticket", "result"]
grid = "blocks"
block = "256"
[[launch]]
entry = "finish"
template = ["element"]
arguments = ["partials", "count", "result"]
when = "finish = 'two_launches'"
block = "256"
*/)toml";

class TiledLaunch : public testing::Test {
protected:
    static Problem problem(const std::string& element = "float32") {
        Problem result;
        result.kernel = "tiled";
        result.types = {{"element", element}};
        result.sizes = {1};
        return result;
    }

    [[nodiscard]] Configuration configuration(const std::string& finish) const {
        return Configuration::parse("finish=" + finish, tiled_.front_matter().parameters);
    }

    LaunchRule rule(const std::string& finish, const std::string& element = "float32") {
        return tiled_.launch_rule(problem(element), device_.info(), configuration(finish));
    }

    Launch bind(const LaunchRule& rule, std::int64_t n) {
        return rule.bind(rule.plan(std::array{n}), arrays_, {&plain_, &zeroed_});
    }

    static std::uint64_t address(const void* pointer) {
        return reinterpret_cast<std::uintptr_t>(pointer);
    }

    const KernelTemplate tiled_{{"tiled.cu", std::string(kTiled), {}}};
    FakeDevice device_;
    int values_ = 0, result_ = 0, plain_ = 0, zeroed_ = 0;
    const std::array<void*, 2> arrays_{&values_, &result_};
};

TEST_F(TiledLaunch, NeedsNoCodeForAStepThatTheConfigurationNeverLaunches) {
    const auto expressions = [&](const std::string& finish) {
        return tiled_.launched_instance(problem(), device_.info(), configuration(finish))
            .expressions;
    };
    EXPECT_EQ(expressions("last_block"),
              (std::vector<std::string>(2, "tiled<float, Finish::last_block>")));
    EXPECT_EQ(expressions("two_launches"),
              tiled_.instance(problem(), configuration("two_launches")).expressions);
}

TEST_F(TiledLaunch, HasABlockForEachTileUpToTheGridItWasGiven) {
    const LaunchRule last_block = rule("last_block");
    struct Expectation {
        std::int64_t n;
        std::uint32_t blocks;
    };
    for (const auto& [n, blocks] : {
             Expectation{1, 1},
             {kTile - 1, 1},
             {kTile, 1},
             {kTile + 1, 2},
             {kTile * kMostBlocks - kTile, kMostBlocks - 1},
             {kTile * kMostBlocks, kMostBlocks},
             {kTile * kMostBlocks + 1, kMostBlocks},
             {std::int64_t{1} << 33, kMostBlocks},
             {std::int64_t{1} << 40, kMostBlocks},
         }) {
        const Launch launch = bind(last_block, n);
        EXPECT_EQ(launch.steps[0].grid.x, blocks) << n;
        EXPECT_EQ(launch.steps[0].grid.y, 1U);
        EXPECT_EQ(launch.steps[0].block.x, 256U);
        EXPECT_EQ(launch.steps[0].shared_bytes, 0U);
        EXPECT_EQ(launch.cells[1], static_cast<std::uint64_t>(n));
        EXPECT_EQ(launch.cells[3], blocks);
    }
}

TEST_F(TiledLaunch, PassesASmallArrayByValue) {
    std::string text(kTiled);
    const std::string line = "n = { access";
    text.insert(text.find(line),
                "weights = { access = \"value\", type = \"float32\", count = \"3\" }\n");
    text.replace(text.find("\"values\", \"n\""), 8, "\"values\", \"weights\"");
    const KernelTemplate weighted({"weighted.cu", text, {}});
    const LaunchRule rule = weighted.launch_rule(
        {"tiled", {{"element", "float32"}}, {1}}, device_.info(),
        Configuration::parse("finish=last_block", weighted.front_matter().parameters));
    std::array<float, 3> weights{1, 2, 3};
    const std::array<void*, 3> arrays{&values_, weights.data(), &result_};
    Launch launch = rule.bind(rule.plan(std::array{std::int64_t{7}}), arrays, {&plain_, &zeroed_});
    ArgumentList list;
    list.set(launch, launch.steps[0], launch.cells);
    ArgumentList::Addresses addresses;
    list.fill(addresses, arrays.data());
    EXPECT_EQ(addresses[0], arrays.data());  // where the pointer is
    EXPECT_EQ(addresses[1], weights.data());
    EXPECT_EQ(*static_cast<std::uint64_t*>(addresses[2]), 7U);
}

TEST_F(TiledLaunch, FinishesInTheLastBlockOrInASecondStep) {
    EXPECT_EQ(bind(rule("last_block"), 1 << 20).step_count, 1U);
    const Launch launch = bind(rule("two_launches"), 1 << 20);
    ASSERT_EQ(launch.step_count, 2U);
    EXPECT_EQ(launch.steps[0].entry, 0U);
    EXPECT_EQ(launch.steps[1].entry, 1U);
    EXPECT_EQ(launch.steps[1].grid.x, 1U);
    EXPECT_EQ(launch.steps[1].block.x, 256U);
}

TEST_F(TiledLaunch, PassesEachStepItsArgumentsInTheKernelsOrder) {
    const Launch launch = bind(rule("two_launches"), 1 << 20);
    const auto argument = [&](std::size_t step, std::size_t index) {
        return launch.cells[launch.steps[step].arguments[index]];
    };
    ASSERT_EQ(launch.steps[0].argument_count, 5);
    EXPECT_EQ(argument(0, 0), address(&values_));
    EXPECT_EQ(argument(0, 1), std::uint64_t{1} << 20);
    EXPECT_EQ(argument(0, 2), address(&plain_));
    EXPECT_EQ(argument(0, 3), address(&zeroed_));
    EXPECT_EQ(argument(0, 4), address(&result_));
    ASSERT_EQ(launch.steps[1].argument_count, 3);
    EXPECT_EQ(argument(1, 0), address(&plain_));
    EXPECT_EQ(argument(1, 1), std::uint64_t{kMostBlocks});
    EXPECT_EQ(argument(1, 2), address(&result_));
}

TEST_F(TiledLaunch, NeedsAPartialForEachBlockInWholeAlignedPieces) {
    const auto need = [](const LaunchRule& rule, std::int64_t n) {
        return rule.plan(std::array{n}).scratch;
    };
    EXPECT_EQ(need(rule("last_block"), 1 << 30).plain, 256U);  // 32 floats
    EXPECT_EQ(need(rule("last_block"), 1 << 30).zeroed, 256U);
    EXPECT_EQ(need(rule("last_block", "float64"), 1 << 30).plain, 256U);
    EXPECT_EQ(need(rule("last_block"), 1).plain, 256U);
}

#ifdef JITUNE_COUNTS_ALLOCATIONS
TEST_F(TiledLaunch, BindsWithoutAllocating) {
    const LaunchRule last_block = rule("last_block");
    const LaunchRule two_launches = rule("two_launches");
    const std::size_t before = allocations;
    std::uint64_t blocks = 0;
    for (std::int64_t n = 1; n < 1'000'000; n = n * 3 + 1) {
        blocks += bind(last_block, n).steps[0].grid.x + bind(two_launches, n).step_count;
    }
    EXPECT_EQ(allocations, before);
    EXPECT_GT(blocks, 0U);
}
#endif

/// Rules made of expressions over n.
class OwnRule : public testing::Test {
protected:
    static LaunchRule::Plan plan_for_8(const LaunchRule& rule) {
        return rule.plan(std::array<std::int64_t, 1>{8});
    }
    static LaunchRule::Quantity quantity(const std::string& text) {
        const std::array<std::string, 1> names{"n"};
        return {Expression::parse(text).for_slots(names), "grid.x of own.cu"};
    }
    static LaunchRule::Step step_with_grid(const std::string& text) {
        LaunchRule::Step step;
        step.when = step.block[0] = step.block[1] = step.block[2] = quantity("1");
        step.grid = {quantity(text), quantity("1"), quantity("1")};
        step.shared_bytes = quantity("0");
        return step;
    }
    static LaunchRule with_grid(const std::string& text) {
        return LaunchRule({step_with_grid(text)}, {});
    }
    static LaunchRule with_attributes(const std::string& cluster, const std::string& programmatic) {
        LaunchRule::Step step = step_with_grid("n");
        step.cluster = quantity(cluster);
        step.programmatic = quantity(programmatic);
        return LaunchRule({step}, {});
    }
    static LaunchRule with_scratch(const std::string& count) {
        LaunchRule::Argument plain{LaunchRule::Argument::Kind::scratch, 8, quantity(count)};
        LaunchRule::Argument zeroed{LaunchRule::Argument::Kind::zeroed, 4, quantity("1")};
        return LaunchRule({}, {plain, plain, zeroed, zeroed});
    }
};

TEST_F(OwnRule, RefusesAGridThatIsNoGrid) {
    for (const char* text : {"n - 8", "n / 9", "n - 9", "n * 1000000000", "n / 0", "'many'",
                             "1.5 * n", "0", "-1", "n = 8 AND 1 / 0"}) {
        expect_error(ErrorKind::usage, "grid.x of own.cu is ",
                     [&] { plan_for_8(with_grid(text)); });
    }
    EXPECT_EQ(plan_for_8(with_grid("n * 2")).launch.steps[0].grid.x, 16U);
    EXPECT_EQ(plan_for_8(with_grid("n * 500000000")).launch.steps[0].grid.x, 4'000'000'000U);
}

TEST_F(OwnRule, AsksForClustersAndProgrammaticLaunches) {
    const LaunchStep plain = plan_for_8(with_grid("n")).launch.steps[0];
    EXPECT_EQ(plain.cluster, 1U);
    EXPECT_EQ(plain.programmatic, 0U);
    const LaunchStep step = plan_for_8(with_attributes("n / 2", "n = 8")).launch.steps[0];
    EXPECT_EQ(step.cluster, 4U);
    EXPECT_EQ(step.programmatic, 1U);
}

TEST_F(OwnRule, RefusesAClusterThatNotEveryDeviceCanLaunch) {
    EXPECT_EQ(plan_for_8(with_attributes("n", "0")).launch.steps[0].cluster, 8U);
    for (const char* text : {"0", "-1", "9", "n - 8", "n + 1", "16"}) {
        expect_error(ErrorKind::usage, "must be an integer from 1 to 8",
                     [&] { plan_for_8(with_attributes(text, "0")); });
    }
}

TEST_F(OwnRule, LeavesAStepOutForTheSizesItIsNotMeantFor) {
    LaunchRule::Step step;
    for (auto* extent : {&step.grid, &step.block}) {
        *extent = {quantity("1"), quantity("1"), quantity("1")};
    }
    step.grid[0] = step.block[0] = quantity("n");
    step.when = quantity("1");
    step.shared_bytes = quantity("0");
    LaunchRule::Step small = step;
    small.when = quantity("n < 100");
    LaunchRule::Step never = step;
    never.when = quantity("1 > 2");
    const LaunchRule rule({small, never, step}, {});
    const auto entries = [&](std::int64_t n) {
        const Launch launch = rule.plan(std::array{n}).launch;
        std::vector<std::uint32_t> result;
        for (std::size_t i = 0; i < launch.step_count; ++i) {
            EXPECT_EQ(launch.steps[i].grid.x, static_cast<std::uint32_t>(n));
            result.push_back(launch.steps[i].entry);
        }
        return result;
    };
    EXPECT_EQ(entries(8), (std::vector<std::uint32_t>{0, 2}));
    EXPECT_EQ(entries(100), (std::vector<std::uint32_t>{2}));
}

TEST_F(OwnRule, LaysScratchOutWithoutOverlap) {
    const LaunchRule rule = with_scratch("n");
    const LaunchRule::Plan plan =
        rule.plan(std::array<std::int64_t, 1>{33});  // 264 bytes, two pieces
    EXPECT_EQ(plan.scratch.plain, 1024U);
    EXPECT_EQ(plan.scratch.zeroed, 512U);
    alignas(256) std::byte plain[1024];
    alignas(256) std::byte zeroed[512];
    const auto cells = rule.bind(plan, {}, {plain, zeroed}).cells;
    EXPECT_EQ(cells[0], reinterpret_cast<std::uintptr_t>(plain));
    EXPECT_EQ(cells[1], cells[0] + 512);
    EXPECT_EQ(cells[2], reinterpret_cast<std::uintptr_t>(zeroed));
    EXPECT_EQ(cells[3], cells[2] + 256);
}

TEST_F(OwnRule, RefusesScratchThatNoMemoryHolds) {
    for (const char* count : {"n - 100", "n * 1000000000000000000"}) {
        expect_error(ErrorKind::usage, "must be an integer",
                     [&] { plan_for_8(with_scratch(count)); });
    }
}

}  // namespace
}  // namespace jitune::internal
