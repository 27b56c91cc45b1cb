#pragma once

#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "ops/reduce_reference.hpp"
#include "ops/reduce_types.hpp"
#include "ops/reduce_workload.hpp"

/// The cases of ReduceWorkload as a kernel sees them.
namespace jitune::reduce_case {

using Bytes = std::vector<std::byte>;
using E = ElementType;
using Op = ReduceOp;

inline constexpr E kElements[] = {E::int8,    E::uint8,    E::int16,   E::uint16,
                                  E::int32,   E::uint32,   E::int64,   E::uint64,
                                  E::float16, E::bfloat16, E::float32, E::float64};
inline constexpr E kFloats[] = {E::float16, E::bfloat16, E::float32, E::float64};
inline constexpr ReduceKind kKinds[] = {ReduceKind::all, ReduceKind::rows, ReduceKind::columns,
                                        ReduceKind::segments};
inline ReduceTypes types_of(E element, Op op) {
    return {element, op, results_of(element, op).front()};
}

inline Problem problem_of(const ReduceTypes& types, std::vector<std::int64_t> sizes) {
    Problem problem;
    problem.types = {{"element", std::string(to_string(types.element))},
                     {"operation", std::string(to_string(types.op))},
                     {"result", std::string(to_string(types.result))}};
    problem.sizes = std::move(sizes);
    return problem;
}

inline std::vector<Case> checks_of(ReduceKind kind, const ReduceTypes& types) {
    const auto sizes = kind == ReduceKind::all ? std::vector<std::int64_t>{12'345}
                                               : std::vector<std::int64_t>{123, 456};
    return ReduceWorkload(kind).checks(problem_of(types, sizes));
}

inline Bytes content_of(const CaseArgument& input) {
    Bytes bytes(input.bytes);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = (*input.pattern)[i % input.pattern->size()];
    }
    return bytes;
}

/// A case as a kernel sees it.
struct Seen {
    ReduceTypes types;
    const Case* what;
    ReduceLayout layout;
    Bytes values;

    Seen(ReduceKind kind, const ReduceTypes& all_types, const Case& one)
        : types(all_types),
          what(&one),
          layout(layout_of(kind, kind == ReduceKind::all ? 1 : one.sizes[0], one.sizes.back())),
          values(content_of(one.arguments.at(0))) {
        if (kind == ReduceKind::segments) {
            const Bytes offsets = content_of(one.arguments.at(1));
            layout.offsets.resize(offsets.size() / sizeof(std::int64_t));
            std::memcpy(layout.offsets.data(), offsets.data(), offsets.size());
        }
    }

    [[nodiscard]] Bytes right_answer() const {
        return reduce_reference(types, layout, values).values;
    }
    [[nodiscard]] bool accepts(const Bytes& results) const {
        return what->judge(std::span(&results, 1)).empty();
    }
    /// The answer of a kernel that takes these elements, by their numbers in the run, for `run`.
    [[nodiscard]] Bytes answer_of(std::size_t result, const std::vector<std::size_t>& taken) const {
        const std::size_t size = bytes_of(types.element);
        const ElementRun run = layout.run(result);
        Bytes gathered(taken.size() * size);
        for (std::size_t i = 0; i < taken.size(); ++i) {
            std::memcpy(&gathered[i * size], &values.at(run.at(taken[i]) * size), size);
        }
        const auto count = static_cast<std::int64_t>(taken.size());
        return reduce_reference(types, {{ReduceKind::segments, 1, count}, {0, count}}, gathered)
            .values;
    }
    /// Whether it is noticed that the kernel took these for one result.
    [[nodiscard]] bool notices(std::size_t result, const std::vector<std::size_t>& taken) const {
        Bytes results = right_answer();
        const Bytes one = answer_of(result, taken);
        std::copy(one.begin(), one.end(),
                  results.begin() + static_cast<std::ptrdiff_t>(result * one.size()));
        return !accepts(results);
    }
};

inline std::string name(ReduceKind kind, const ReduceTypes& types) {
    return std::string(unit_of(kind)) + " " + std::string(to_string(types.element)) + " " +
           std::string(to_string(types.op));
}

}  // namespace jitune::reduce_case
