// SPDX-License-Identifier: Apache-2.0
#include "families/compiled/default_instances.hpp"

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "families/reduce/reduce_types.hpp"
#include "types/element_names.hpp"

namespace jitune::internal {

namespace {

// Numbers of elements. The default differs for arrays that fit a tile, 4 MiB, or an index of 32
// bits.
constexpr std::array<std::int64_t, 4> kSizes{1, 1 << 13, 1 << 23, std::int64_t{1} << 33};

detail::ReduceShape shape_of(ReduceKind kind, std::int64_t n) {
    switch (kind) {
        case ReduceKind::rows:
            return detail::ReduceShape::rows(1, n);
        case ReduceKind::columns:
            return detail::ReduceShape::columns(n, 1);
        case ReduceKind::segments:
            return detail::ReduceShape::segments(1, n);
        default:
            return detail::ReduceShape::all(n);
    }
}

struct Types {
    ElementType element;
    ElementType result;
    ReduceOp operation;
};

std::vector<Types> all_types(Share share) {
    std::vector<Types> types;
    std::size_t count = 0;
    for (const ElementType element : element_types()) {
        for (const ReduceOpRow& operation : reduce_operations()) {
            if (operation.value == ReduceOp::custom) {
                continue;
            }
            for (const ElementType result : results_of(element, operation.value)) {
                if (count++ % share.count == share.first) {
                    types.push_back({element, result, operation.value});
                }
            }
        }
    }
    return types;
}

}  // namespace

std::vector<Instance> default_instances(ReduceKind kind, const DeviceInfo& device, Share share) {
    const KernelTemplate& kernel = reduce_kernel(kind, device.platform).kernel_template;
    std::vector<Instance> instances;
    std::set<std::vector<std::string>> seen;
    for (const Types& types : all_types(share)) {
        for (const std::int64_t n : kSizes) {
            const Problem problem =
                reduce_problem({types.element, types.result, types.operation, shape_of(kind, n)});
            Instance instance =
                kernel.instance(problem, kernel.default_configuration(problem, device));
            if (seen.insert(instance.expressions).second) {
                instances.push_back(std::move(instance));
            }
        }
    }
    return instances;
}

}  // namespace jitune::internal
