// SPDX-License-Identifier: Apache-2.0
// The table of operations beside the names that templates know, and the host's kernel of each.

#include <random>
#include <set>

#include <gtest/gtest.h>

#include "backend/host/host_platform.hpp"
#include "families/reduce/reduce_data.hpp"
#include "families/reduce/reduce_kernel.hpp"
#include "families/reduce/reduce_reference.hpp"
#include "families/reduce/reduce_types.hpp"
#include "types/element_names.hpp"

namespace jitune::internal {
namespace {

constexpr std::int64_t kElements = 70'001;

template <class Values, class ToName>
std::set<std::string> names_of(const Values& values, ToName to_name) {
    std::set<std::string> names;
    for (const auto& value : values) {
        names.emplace(to_name(value));
    }
    return names;
}

TEST(ReduceOperations, TemplatesKnowAllOperationsAndElementTypes) {
    for (const PlatformKind platform : {PlatformKind::cuda, PlatformKind::host}) {
        for (const ReduceKind kind :
             {ReduceKind::all, ReduceKind::rows, ReduceKind::columns, ReduceKind::segments}) {
            const auto& types = reduce_kernel(kind, platform).kernel_template.front_matter().types;
            const auto known = [&](const char* parameter) {
                return names_of(types.at(parameter), [](const auto& row) { return row.first; });
            };
            EXPECT_EQ(known("operation"),
                      names_of(reduce_operations(), [](const auto& row) { return row.name; }));
            EXPECT_EQ(known("element"),
                      names_of(element_types(), [](ElementType type) { return to_string(type); }));
            std::set<std::string> results;
            std::set<std::string> accumulators;
            for (const ReduceOpRow& row : reduce_operations()) {
                for (const ElementType element : element_types()) {
                    for (const ElementType result : results_of(element, row.value)) {
                        results.emplace(to_string(result));
                        accumulators.emplace(to_string(accumulator_of(element, row.value, result)));
                    }
                }
            }
            EXPECT_EQ(known("result"), results);
            EXPECT_EQ(known("accumulator"), accumulators);
        }
    }
}

struct Candidate {
    ReduceTypes types;
    Instance instance;
    LaunchRule rule;
};

Candidate candidate(const ReduceTypes& types, const DeviceInfo& device) {
    const KernelTemplate& kernel =
        reduce_kernel(ReduceKind::all, PlatformKind::host).kernel_template;
    const Problem problem = reduce_problem(
        {types.element, types.result, types.op, detail::ReduceShape::all(kElements)});
    const Configuration standard = kernel.default_configuration(problem, device);
    return {types, kernel.instance(problem, standard),
            kernel.launch_rule(problem, device, standard)};
}

void expect_right(const Candidate& candidate, const Program& program) {
    std::mt19937_64 random(1);
    std::vector<std::byte> values = reduce_data(candidate.types, kElements, kElements, random);
    const auto layout = layout_of(ReduceKind::all, 1, kElements);
    const Expected expected = reduce_reference(candidate.types, layout, values);
    std::array<std::byte, 8> result{};
    const std::array<void*, 2> arrays{values.data(), result.data()};
    const std::array sizes{kElements};
    program.launch(candidate.rule.bind(candidate.rule.plan(sizes), arrays, {}), nullptr);
    EXPECT_EQ(compare(expected, std::span(result).first(bytes_of(candidate.types.result))), "")
        << to_string(candidate.types.op) << " of " << to_string(candidate.types.element);
}

TEST(ReduceOperations, GiveTheReferencesResultOnTheHost) {
    const auto platform = make_host_platform(Log(LogLevel::off));
    Device& device = platform->device(0);
    std::vector<Candidate> candidates;
    std::vector<Instance> instances;
    for (const ReduceOpRow& row : reduce_operations()) {
        for (const ElementType element : {ElementType::int32, ElementType::float32}) {
            if (row.kind != ResultKind::custom) {
                candidates.push_back(candidate(
                    {element, row.value, results_of(element, row.value).front()}, device.info()));
                instances.push_back(candidates.back().instance);
            }
        }
        for (const ElementType element : {ElementType::int8, ElementType::uint16,
                                          ElementType::float16, ElementType::bfloat16}) {
            const auto results = results_of(element, row.value);
            if (row.kind != ResultKind::custom && results.back() == element) {
                candidates.push_back(candidate({element, row.value, element}, device.info()));
                instances.push_back(candidates.back().instance);
            }
        }
    }
    const TemplateSource& source =
        reduce_kernel(ReduceKind::all, PlatformKind::host).kernel_template.source();
    const auto outcomes = device.compile(source, instances);
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        const auto* failure = std::get_if<CompileFailure>(&outcomes[i]);
        ASSERT_EQ(failure, nullptr) << failure->log;
        expect_right(candidates[i], *device.load(std::get<Binary>(outcomes[i])));
    }
}

}  // namespace
}  // namespace jitune::internal
