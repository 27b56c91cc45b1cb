// SPDX-License-Identifier: Apache-2.0
#include "tuning/record/binary_cache.hpp"

#include <thread>
#include <vector>

#include "fake/fake_sum.hpp"
#include "fixtures/expect_error.hpp"

namespace jitune::internal {
namespace {

class BinaryCacheTest : public testing::Test {
protected:
    std::vector<CompileOutcome> compile(const std::vector<Instance>& instances) {
        return cache_.compile(device_, {"sum.cu", "text", {}}, "hash", instances);
    }
    bool knows(const Instance& instance, const std::string& hash = "hash",
               const std::string& device_class = "cuda fake") {
        return cache_.find(hash, device_class, instance).has_value();
    }

    FakeDevice device_;
    BinaryCache cache_;
};

TEST_F(BinaryCacheTest, RemembersCompiledInstances) {
    const Instance a{{"f<1>", "g<1>"}};
    EXPECT_FALSE(knows(a));
    const auto outcomes = compile({a});
    ASSERT_TRUE(knows(a));
    EXPECT_EQ(std::get<Binary>(*cache_.find("hash", "cuda fake", a)).image,
              std::get<Binary>(outcomes[0]).image);
    EXPECT_EQ(cache_.compiles(), 1);
}

TEST_F(BinaryCacheTest, TellsTemplatesDevicesAndInstancesApart) {
    compile({{{"f<1>", "g<1>"}}});
    EXPECT_FALSE(knows({{"f<1>", "g<1>"}}, "other hash"));
    EXPECT_FALSE(knows({{"f<1>", "g<1>"}}, "hash", "other device"));
    EXPECT_FALSE(knows({{"f<1>"}}));
    EXPECT_FALSE(knows({{"f<1>g<1>"}}));
    EXPECT_FALSE(knows({{"g<1>", "f<1>"}}));
}

TEST_F(BinaryCacheTest, InstancesWithOtherDefinesAreOtherPrograms) {
    const auto outcomes =
        compile({{{"f"}, "#define A 1\n"}, {{"f"}, "#define A 2\n"}, {{"g"}, "#define A 1\n"}});
    EXPECT_EQ(std::get<Binary>(outcomes[0]).image, std::get<Binary>(outcomes[2]).image);
    EXPECT_NE(std::get<Binary>(outcomes[0]).image, std::get<Binary>(outcomes[1]).image);
    EXPECT_TRUE(knows({{"f"}, "#define A 2\n"}));
    EXPECT_FALSE(knows({{"g"}, "#define A 2\n"}));
}

TEST_F(BinaryCacheTest, InstancesWithOtherOptionsAreOtherPrograms) {
    const auto outcomes = compile({{{"f"}, {}, {}, {"-O1"}}, {{"f"}, {}, {}, {"-O2"}}, {{"g"}}});
    EXPECT_NE(std::get<Binary>(outcomes[0]).image, std::get<Binary>(outcomes[1]).image);
    EXPECT_TRUE(knows({{"f"}, {}, {}, {"-O2"}}));
    EXPECT_FALSE(knows({{"f"}}));
}

TEST_F(BinaryCacheTest, RemembersFailuresToo) {
    device_.on("f<2>").compile_log = "no";
    compile({{{"f<1>"}}, {{"f<2>"}}});
    EXPECT_TRUE(
        std::holds_alternative<CompileFailure>(*cache_.find("hash", "cuda fake", {{"f<2>"}})));
    EXPECT_TRUE(std::holds_alternative<Binary>(*cache_.find("hash", "cuda fake", {{"f<1>"}})));
    EXPECT_EQ(cache_.compiles(), 2);
}

TEST_F(BinaryCacheTest, KeepsTheFirstOfTwoResults) {
    const auto first = compile({{{"f<1>"}}});
    compile({{{"f<1>"}}});
    EXPECT_EQ(std::get<Binary>(*cache_.find("hash", "cuda fake", {{"f<1>"}})).image,
              std::get<Binary>(first[0]).image);
    EXPECT_EQ(cache_.compiles(), 2);
}

TEST_F(BinaryCacheTest, ForgetsAFailureOnceItCompiles) {
    device_.on("f<2>").compile_log = "no";
    compile({{{"f<2>"}}});
    device_.on("f<2>").compile_log.clear();
    compile({{{"f<2>"}}});
    EXPECT_TRUE(std::holds_alternative<Binary>(*cache_.find("hash", "cuda fake", {{"f<2>"}})));
}

TEST_F(BinaryCacheTest, RemembersNothingWhereTheCompilerIsMissing) {
    device_.before_compile = [](auto) { throw Error(ErrorKind::unavailable, "no compiler"); };
    expect_error(ErrorKind::unavailable, "no compiler", [&] { compile({{{"f<1>"}}}); });
    EXPECT_FALSE(knows({{"f<1>"}}));
    EXPECT_EQ(cache_.compiles(), 0);
}

TEST_F(BinaryCacheTest, RemembersNothingOfAStoppedCompile) {
    BinaryCache cache(
        [](auto&, const auto&, auto, CompileCall& call) -> std::vector<CompileOutcome> {
            EXPECT_TRUE(call.stop.stop_requested());
            throw CompileStopped();
        });
    std::stop_source stop;
    stop.request_stop();
    CompileCall call{stop.get_token()};
    const std::vector<Instance> instances{{{"f<1>"}}};
    EXPECT_THROW(cache.compile(device_, {"sum.cu", "text", {}}, "hash", instances, call),
                 CompileStopped);
    EXPECT_FALSE(cache.find("hash", "cuda fake", instances.front()));
    EXPECT_EQ(cache.compiles(), 0);
}

TEST_F(BinaryCacheTest, HasAViewThatAStopEnds) {
    std::stop_source stop;
    BinaryCache cache([](Device& device, const auto& source, auto instances, CompileCall& call) {
        if (call.stop.stop_requested()) {
            throw CompileStopped();
        }
        return device.compile(source, instances, call);
    });
    BinaryCache view = cache.until(stop.get_token());
    const Instance one{{"f<1>"}};
    const Instance two{{"f<2>"}};
    view.compile(device_, {"sum.cu", "text", {}}, "hash", {&one, 1});
    EXPECT_TRUE(cache.find("hash", "cuda fake", one)) << "it is the same cache";
    stop.request_stop();
    EXPECT_THROW(view.compile(device_, {"sum.cu", "text", {}}, "hash", {&two, 1}), CompileStopped);
    cache.compile(device_, {"sum.cu", "text", {}}, "hash", {&two, 1});
    EXPECT_TRUE(view.find("hash", "cuda fake", two));
}

TEST_F(BinaryCacheTest, CompilesAloneOnlyWhatSharedItsProgram) {
    const Kernel kernel = fake_sum_kernel();
    const Task task{device_, kernel, fake_sum_problem()};
    const SearchSpace space = task.space();
    std::vector<Instance> instances;
    for (const std::size_t index : {0, 1, 2}) {
        instances.push_back(task.instance(space.at(index)));
    }
    CompileCall call;
    cache_.compile(task, std::span(instances).first(1), call);
    cache_.compile(task, std::span(instances).subspan(1), call);
    cache_.alone(task, instances[0]);
    EXPECT_EQ(cache_.compiles(), 3);
    cache_.alone(task, instances[1]);
    EXPECT_EQ(cache_.compiles(), 4);
}

TEST_F(BinaryCacheTest, ServesManyThreads) {
    std::vector<std::thread> threads;
    for (int t = 0; t < 16; ++t) {
        threads.emplace_back([&] {
            for (int i = 0; i < 50; ++i) {
                const Instance instance{{"f<" + std::to_string(i) + ">"}};
                if (!knows(instance)) {
                    compile({instance});
                }
                EXPECT_TRUE(knows(instance));
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(cache_.compiles(), device_.compiles());
}

}  // namespace
}  // namespace jitune::internal
