// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "families/reduce/reduce_kernel.hpp"
#include "families/reduce/reduce_types.hpp"
#include "fixtures/compile_only_device.hpp"

namespace jitune::internal {
namespace {

/// GPUs of few and of many multiprocessors, with small and with large caches.
std::vector<DeviceInfo> gpus_with_defaults() {
    struct Row {
        int architecture, sm_count, threads_per_sm, l2_mib;
    };
    constexpr Row kRows[] = {{75, 40, 1024, 4},     {80, 108, 2048, 40},  {86, 20, 1536, 2},
                             {86, 84, 1536, 6},     {89, 128, 1536, 72},  {90, 132, 2048, 50},
                             {100, 148, 2048, 126}, {120, 170, 1536, 96}, {120, 24, 1536, 24}};
    std::vector<DeviceInfo> gpus;
    for (const Row& row : kRows) {
        DeviceInfo info = gpu_info(row.architecture);
        info.id = fmt::format("sm_{} of {}", row.architecture, row.sm_count);
        info.attributes["sm_count"] = row.sm_count;
        info.attributes["max_threads_per_sm"] = row.threads_per_sm;
        info.attributes["l2_bytes"] = std::int64_t{row.l2_mib} << 20;
        gpus.push_back(info);
    }
    return gpus;
}

detail::ReduceShape shape_with_default(ReduceKind kind, std::int64_t outer, std::int64_t inner) {
    switch (kind) {
        case ReduceKind::rows:
            return detail::ReduceShape::rows(outer, inner);
        case ReduceKind::columns:
            return detail::ReduceShape::columns(outer, inner);
        case ReduceKind::segments:
            return detail::ReduceShape::segments(outer, inner);
        default:
            return detail::ReduceShape::all(outer * inner);
    }
}

constexpr std::int64_t kInner[] = {1,      2,      3,      4,       5,       8,       12,     16,
                                   24,     31,     64,     100,     256,     600,     1024,   3001,
                                   12'000, 33'796, 65'536, 100'003, 1 << 20, 3 << 20, 1 << 26};

class ReduceDefaults : public ::testing::TestWithParam<ReduceKind> {};

/// A first call waits for its default: that must not make a space of thousands of configurations.
TEST_P(ReduceDefaults, OnEachGpuARuleGivesTheDefaultOfEachProblem) {
    const KernelTemplate& kernel = reduce_kernel(GetParam(), PlatformKind::cuda).kernel_template;
    std::set<const DefaultRule*> used;
    std::map<std::string, int> without;
    for (const DeviceInfo& gpu : gpus_with_defaults()) {
        for (const ElementType element : {ElementType::int8, ElementType::bfloat16,
                                          ElementType::float32, ElementType::float64}) {
            for (const ReduceOp op : {ReduceOp::sum, ReduceOp::max, ReduceOp::arg_min}) {
                for (std::int64_t outer = 1; outer < (1 << 22); outer = outer * 2 + 1) {
                    for (const std::int64_t inner : kInner) {
                        if (GetParam() != ReduceKind::segments &&
                            outer * inner > (std::int64_t{1} << 33)) {
                            break;
                        }
                        const Problem problem =
                            reduce_problem({element, results_of(element, op).front(), op,
                                            shape_with_default(GetParam(), outer, inner)});
                        const auto standard = kernel.default_of(problem, gpu);
                        used.insert(standard.rule);
                        const bool passes_over =  // few short rows of whole packs pass over
                            GetParam() != ReduceKind::rows && GetParam() != ReduceKind::all &&
                            !standard.passed_over.empty();
                        if ((standard.rule == nullptr || passes_over) && without[gpu.id]++ < 3) {
                            ADD_FAILURE() << gpu.id << " " << types_text(problem) << " " << outer
                                          << "x" << inner << ": " << standard.configuration.text();
                        }
                    }
                }
            }
        }
    }
    for (const DefaultRule& rule : kernel.front_matter().default_rules) {
        EXPECT_TRUE(used.contains(&rule)) << "never used: line " << rule.line;
    }
}

INSTANTIATE_TEST_SUITE_P(Kinds, ReduceDefaults,
                         ::testing::Values(ReduceKind::all, ReduceKind::rows, ReduceKind::columns,
                                           ReduceKind::segments));

}  // namespace
}  // namespace jitune::internal
