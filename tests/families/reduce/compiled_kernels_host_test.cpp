// SPDX-License-Identifier: Apache-2.0
// The kernels that come compiled with the library.
#include "families/compiled/compiled_kernels.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "backend/host/host_compiler.hpp"
#include "backend/host/host_platform.hpp"
#include "families/reduce/reduce_kernel.hpp"
#include "families/reduce/reduce_types.hpp"
#include "fixtures/reduce_case.hpp"
#include "jitune/reduce.hpp"
#include "tuning/measure/rig.hpp"
#include "tuning/task.hpp"

namespace jitune::internal {
namespace {

class CompiledKernels : public testing::TestWithParam<ReduceKind> {
protected:
    void SetUp() override {
        if (compiled_images.empty()) {
            GTEST_SKIP() << "built without JITUNE_COMPILED_KERNELS";
        }
    }
};

Problem problem_of(ReduceKind kind, ElementType element, ReduceOp op, ElementType result) {
    using Shape = detail::ReduceShape;
    const Shape shape = kind == ReduceKind::all       ? Shape::all(300'007)
                        : kind == ReduceKind::rows    ? Shape::rows(97, 1'003)
                        : kind == ReduceKind::columns ? Shape::columns(1'003, 97)
                                                      : Shape::segments(97, 100'003);
    return reduce_problem({element, result, op, shape});
}

TEST_P(CompiledKernels, AreTheDefaultsOfAllTypesAndRight) {
    const auto platform = make_host_platform(Log(LogLevel::off));
    Device& device = platform->device(0);
    const Kernel& kernel = reduce_kernel(GetParam(), PlatformKind::host);
    int count = 0;
    for (const ElementType element : element_types()) {
        for (const ReduceOpRow& operation : reduce_operations()) {
            if (operation.value == ReduceOp::custom) {
                continue;
            }
            for (const ElementType result : results_of(element, operation.value)) {
                const Task task{device, kernel,
                                problem_of(GetParam(), element, operation.value, result)};
                SCOPED_TRACE(task.name());
                const Configuration standard = task.default_configuration();
                const auto binary = compiled_kernel(device.info(), task.instance(standard));
                ASSERT_TRUE(binary) << task.instance(standard).expressions.front();
                if (++count % 3 == 0) {  // of 263; another third would find nothing else
                    Rig rig(device, *kernel.workload, task.problem, true, Log(LogLevel::off));
                    const auto failure =
                        rig.check(*device.load(*binary), task.launch_rule(standard));
                    EXPECT_FALSE(failure) << failure->reason;
                }
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Shapes, CompiledKernels, testing::ValuesIn(reduce_case::kKinds));

/// Without what says for which CPU.
std::vector<std::string> for_any_cpu(std::vector<std::string> options) {
    std::erase_if(options, [](const std::string& one) { return one.starts_with("-march="); });
    return options;
}

TEST(CompiledKernel, IsCompiledAsAtRunTimeButForTheCpu) {
    if (compiled_images.empty()) {
        GTEST_SKIP() << "built without JITUNE_COMPILED_KERNELS";
    }
    std::ifstream file(JITUNE_HOST_OPTIONS);
    const std::vector<std::string> built_with{std::istream_iterator<std::string>(file), {}};
    const std::vector<std::string> command = HostCompiler().command({}, {}, "unit", "image");
    const std::vector<std::string> files{"-o", "image", "unit"};
    ASSERT_GT(command.size(), 1 + files.size());
    const auto end = command.end() - std::ssize(files);
    EXPECT_EQ(std::vector(end, command.end()), files);
    EXPECT_EQ(for_any_cpu(built_with), for_any_cpu({command.begin() + 1, end}));
}

TEST(CompiledKernel, OfOtherInstancesThereIsNone) {
    DeviceInfo host;
    host.platform = PlatformKind::host;
    Instance other{{"jitune::reduce<float, float, float, jitune::Sum, unknown>"}};
    EXPECT_FALSE(compiled_kernel(host, other));
    const Kernel& kernel = reduce_kernel(ReduceKind::all, PlatformKind::host);
    const Problem problem =
        problem_of(ReduceKind::all, ElementType::float32, ReduceOp::sum, ElementType::float32);
    const auto platform = make_host_platform(Log(LogLevel::off));
    const Task task{platform->device(0), kernel, problem};
    const Instance standard = task.instance(task.default_configuration());
    EXPECT_EQ(compiled_kernel(host, standard).has_value(), !compiled_images.empty());
    DeviceInfo gpu;
    gpu.platform = PlatformKind::cuda;
    EXPECT_FALSE(compiled_kernel(gpu, standard));
}

TEST(CompiledKernel, AnswersWhereThereIsNoCompiler) {
    if (compiled_images.empty()) {
        GTEST_SKIP() << "built without JITUNE_COMPILED_KERNELS";
    }
    ::setenv("JITUNE_CXX", "/no/compiler", 1);
    std::vector<float> ones(1'000'000, 1);
    for (const TunePolicy policy :
         {TunePolicy::now, TunePolicy::offline, TunePolicy::template_default}) {
        Options options;
        options.database.clear();
        options.on_miss = policy;
        options.log_level = LogLevel::off;
        Session session(options);
        EXPECT_EQ(tuned_reduce(ones, ReduceOp::sum, session), 1'000'000);
        EXPECT_EQ(session.counters().compiles, 0);
    }
    ::unsetenv("JITUNE_CXX");
}

}  // namespace
}  // namespace jitune::internal
