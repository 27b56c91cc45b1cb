// SPDX-License-Identifier: Apache-2.0
#include "fake/fake_reduce.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <type_traits>

#include "fake/fake_expression.hpp"
#include "families/reduce/reduce_kernel.hpp"
#include "families/reduce/reduce_reference.hpp"

namespace jitune::internal {
namespace {

// Places in the template arguments of both kernels, and in those of the first.
constexpr std::size_t kElement = 0, kResult = 2, kOperation = 3, kBlock = 4;
constexpr std::size_t kItems = 5, kPackBytes = 6, kFinish = 9;

template <class T>
T* pointer(const FakeLaunch& launch, std::size_t argument) {
    return reinterpret_cast<T*>(launch.arguments.at(argument));
}

/// Integers wrap.
template <class T>
T sum(const T* first, const T* last) {
    std::conditional_t<std::is_integral_v<T>, unsigned, T> total{};
    for (; first != last; ++first) {
        total += static_cast<decltype(total)>(*first);
    }
    return static_cast<T>(total);
}

template <class T>
T add(T a, T b) {
    const T both[] = {a, b};
    return sum(both, both + 2);
}

/// How a launch shares the elements out.
struct Shares {
    std::uint64_t head, end;  ///< the whole aligned packs are [head, end)
    std::uint64_t tile;       ///< elements per block and trip
    std::uint64_t stride;     ///< elements per trip of all blocks
};

template <class T>
Shares shares(const FakeLaunch& launch, const FakeExpression& kernel) {
    const std::uint64_t pack_bytes = std::stoul(kernel.arguments.at(kPackBytes));
    const std::uint64_t pack = pack_bytes / sizeof(T);
    const std::uint64_t misaligned = launch.arguments.at(0) % pack_bytes / sizeof(T);
    const std::uint64_t n = launch.arguments.at(1);
    const std::uint64_t head = std::min(n, misaligned == 0 ? 0 : pack - misaligned);
    const std::uint64_t tile = launch.block.x * std::stoul(kernel.arguments.at(kItems));
    return {head, head + (n - head) / pack * pack, tile, tile * launch.grid.x};
}

template <class T>
T sum_of_block(const FakeLaunch& launch, const Shares& shares, unsigned block) {
    const T* values = pointer<const T>(launch, 0);
    T total{};
    for (std::uint64_t at = shares.head + block * shares.tile; at < shares.end;
         at += shares.stride) {
        total = add(total, sum(values + at, values + std::min(at + shares.tile, shares.end)));
    }
    if (block == 0) {
        total = add(total, sum(values, values + shares.head));
        total = add(total, sum(values + shares.end, values + launch.arguments.at(1)));
    }
    return total;
}

/// As atom.inc: true for the block that draws the last ticket.
bool arrives_last(unsigned& ticket, unsigned blocks) {
    const bool last = ticket == blocks - 1;
    ticket = ticket >= blocks - 1 ? 0 : ticket + 1;
    return last;
}

template <class T>
void reduce(const FakeLaunch& launch, const FakeExpression& kernel) {
    const std::string& finish = kernel.arguments.at(kFinish);
    T* const partials = pointer<T>(launch, 2);
    T* const result = pointer<T>(launch, 4);
    const unsigned blocks = launch.grid.x;
    const Shares all = shares<T>(launch, kernel);
    T total{};
    for (unsigned block = 0; block < blocks; ++block) {
        const T sum_here = sum_of_block<T>(launch, all, block);
        if (finish == "jitune::Finish::two_launches") {
            partials[block] = sum_here;
        } else if (finish == "jitune::Finish::ticket") {
            partials[block] = sum_here;
            if (arrives_last(*pointer<unsigned>(launch, 3), blocks)) {
                *result = sum(partials, partials + blocks);
            }
        } else {
            total = add(total, sum_here);
            *result = total;
        }
    }
}

template <class T>
void reduce_partials(const FakeLaunch& launch, const FakeExpression&) {
    const T* partials = pointer<const T>(launch, 0);
    *pointer<T>(launch, 3) = sum(partials, partials + launch.arguments.at(1));
}

struct Row {
    const char* name;
    const char* element;  // and of the result
    void (*run)(const FakeLaunch&, const FakeExpression&);
};
constexpr Row kKernels[] = {
    {"jitune::reduce", "int", reduce<int>},
    {"jitune::reduce", "float", reduce<float>},
    {"jitune::reduce_partials", "int", reduce_partials<int>},
    {"jitune::reduce_partials", "float", reduce_partials<float>},
};

/// The name under which the front matter of the reductions knows a C++ type or operation: "float32"
/// for "float" of the type parameter `element`.
const std::string& name_of(const std::string& parameter, const std::string& text) {
    const FrontMatter& front =
        reduce_kernel(ReduceKind::all, PlatformKind::cuda).kernel_template.front_matter();
    for (const auto& [name, known] : front.types.at(parameter)) {
        if (known == text) {
            return name;
        }
    }
    throw std::runtime_error("the fake knows no " + text);
}

/// Any other reduction of one launch, by its reference.
void reduce_by_reference(const FakeLaunch& launch, const FakeExpression& kernel) {
    const ReduceTypes types{reduce_element(kernel.arguments.at(kElement)),
                            parse_reduce_op(name_of("operation", kernel.arguments.at(kOperation))),
                            reduce_element(kernel.arguments.at(kResult))};
    const auto n = static_cast<std::int64_t>(launch.arguments.at(1));
    const std::span values(pointer<const std::byte>(launch, 0),
                           static_cast<std::size_t>(n) * bytes_of(types.element));
    const Expected expected = reduce_reference(types, layout_of(ReduceKind::all, 1, n), values);
    std::memcpy(pointer<std::byte>(launch, 4), expected.values.data(), bytes_of(types.result));
}

}  // namespace

ElementType reduce_element(const std::string& text) {
    return parse_element_type(name_of("element", text));
}

CUresult run_reduce(const FakeLaunch& launch) {
    const FakeExpression kernel(launch.expression);
    const bool is_sum = kernel.arguments.size() > kOperation &&
                        kernel.arguments.at(kOperation) == "jitune::Sum" &&
                        kernel.arguments.at(kElement) == kernel.arguments.at(kResult);
    for (const Row& row : kKernels) {
        if (is_sum && row.name == kernel.name && row.element == kernel.arguments.at(kElement)) {
            if (kernel.arguments.at(kBlock) != std::to_string(launch.block.x)) {
                return CUDA_ERROR_NOT_SUPPORTED;
            }
            row.run(launch, kernel);
            return CUDA_SUCCESS;
        }
    }
    if (kernel.name != "jitune::reduce" ||
        kernel.arguments.at(kFinish) == "jitune::Finish::two_launches") {
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    reduce_by_reference(launch, kernel);
    return CUDA_SUCCESS;
}

}  // namespace jitune::internal
