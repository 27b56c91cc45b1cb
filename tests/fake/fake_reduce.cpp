// SPDX-License-Identifier: Apache-2.0
#include "fake/fake_reduce.hpp"

#include <algorithm>
#include <sstream>
#include <type_traits>

namespace jitune::internal {
namespace {

// Places in the template arguments of both kernels, and in those of the first.
constexpr std::size_t kElement = 0, kResult = 2, kOperation = 3, kBlock = 4;
constexpr std::size_t kItems = 5, kPackBytes = 6, kFinish = 9;

/// "jitune::reduce<int, int, …>", taken apart.
struct Expression {
    std::string name;
    std::vector<std::string> arguments;
};

Expression parse(const std::string& text) {
    const std::size_t open = std::min(text.find('<'), text.size());
    Expression expression{text.substr(0, open), {}};
    std::istringstream list(text.substr(std::min(open + 1, text.size())));
    for (std::string argument; std::getline(list >> std::ws, argument, ',');) {
        expression.arguments.push_back(argument.substr(0, argument.find('>')));
    }
    return expression;
}

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
Shares shares(const FakeLaunch& launch, const Expression& kernel) {
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
void reduce(const FakeLaunch& launch, const Expression& kernel) {
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
void reduce_partials(const FakeLaunch& launch, const Expression&) {
    const T* partials = pointer<const T>(launch, 0);
    *pointer<T>(launch, 3) = sum(partials, partials + launch.arguments.at(1));
}

struct Row {
    const char* name;
    const char* element;  // the result too
    void (*run)(const FakeLaunch&, const Expression&);
};
constexpr Row kKernels[] = {
    {"jitune::reduce", "int", reduce<int>},
    {"jitune::reduce", "float", reduce<float>},
    {"jitune::reduce_partials", "int", reduce_partials<int>},
    {"jitune::reduce_partials", "float", reduce_partials<float>},
};

}  // namespace

CUresult run_reduce(const FakeLaunch& launch) {
    const Expression kernel = parse(launch.expression);
    for (const Row& row : kKernels) {
        if (row.name == kernel.name && row.element == kernel.arguments.at(kElement) &&
            row.element == kernel.arguments.at(kResult) &&
            kernel.arguments.at(kOperation) == "jitune::Sum" &&
            kernel.arguments.at(kBlock) == std::to_string(launch.block.x)) {
            row.run(launch, kernel);
            return CUDA_SUCCESS;
        }
    }
    return CUDA_ERROR_NOT_SUPPORTED;
}

}  // namespace jitune::internal
