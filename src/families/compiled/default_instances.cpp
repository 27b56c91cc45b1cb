// SPDX-License-Identifier: Apache-2.0
#include "families/compiled/default_instances.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "families/reduce/reduce_types.hpp"
#include "types/element_names.hpp"

namespace jitune::internal {

namespace {

/// Numbers of elements, in half-octaves: defaults follow rules over sizes.
std::vector<std::int64_t> all_sizes() {
    constexpr std::int64_t kLast = std::int64_t{1} << 33;
    std::vector<std::int64_t> sizes;
    for (std::int64_t n = 1; n <= kLast; n *= 2) {
        sizes.insert(sizes.end(), {n, n + n / 2});
    }
    return sizes;
}

/// Of GPUs, whose defaults differ by size, the library has what most programs reduce.
bool is_common(ElementType element, ReduceOp operation) {
    constexpr std::array kElements{ElementType::int32,   ElementType::int64,
                                   ElementType::float16, ElementType::bfloat16,
                                   ElementType::float32, ElementType::float64};
    constexpr std::array kOperations{ReduceOp::sum, ReduceOp::mean,    ReduceOp::min,
                                     ReduceOp::max, ReduceOp::arg_min, ReduceOp::arg_max};
    return std::ranges::count(kElements, element) > 0 &&
           std::ranges::count(kOperations, operation) > 0;
}

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

std::vector<Types> all_types(PlatformKind platform, Share share) {
    std::vector<Types> types;
    std::size_t count = 0;
    for (const ElementType element : element_types()) {
        for (const ReduceOpRow& operation : reduce_operations()) {
            if (operation.value == ReduceOp::custom ||
                (!runs_on_cpu(platform) && !is_common(element, operation.value))) {
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
    const std::vector<std::int64_t> sizes = all_sizes();
    for (const Types& types : all_types(device.platform, share)) {
        for (const std::int64_t n : sizes) {
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
