// SPDX-License-Identifier: Apache-2.0
#include "reduce_compare/selection.hpp"

#include <array>
#include <initializer_list>

namespace jitune::bench {

namespace {

constexpr std::size_t kShapedElements = std::size_t{1} << 26;
constexpr std::size_t kWarmBytes = std::size_t{32} << 20;  // well within an L2 of 50 MB
constexpr int kLowest = 10;
constexpr int kHighest = 30;

const std::vector<ElementType> kMainTypes{ElementType::int32, ElementType::float32,
                                          ElementType::float16};
const std::vector<ElementType> kOtherTypes{
    ElementType::int8,   ElementType::uint8,    ElementType::int16,
    ElementType::uint16, ElementType::uint32,   ElementType::int64,
    ElementType::uint64, ElementType::bfloat16, ElementType::float64};
const std::vector<ReduceOp> kOtherOps{
    ReduceOp::product,       ReduceOp::min,     ReduceOp::max,  ReduceOp::arg_min,
    ReduceOp::arg_max,       ReduceOp::mean,    ReduceOp::norm, ReduceOp::sum_of_squares,
    ReduceOp::sum_abs,       ReduceOp::max_abs, ReduceOp::all,  ReduceOp::any,
    ReduceOp::count_nonzero, ReduceOp::custom};

std::vector<std::size_t> powers(int lowest, int highest, int step, std::size_t more = 0) {
    std::vector<std::size_t> sizes;
    for (int exponent = lowest; exponent <= highest; exponent += step) {
        sizes.push_back((std::size_t{1} << exponent) + more);
    }
    return sizes;
}

struct Grid {
    std::vector<ElementType> types;
    std::vector<ReduceOp> ops;
    std::vector<std::size_t> sizes;
    std::size_t misaligned = 0;
    bool warm = false;
};

/// The warm cells are those whose values stay in the L2, the custom operation is over float32.
bool measurable(const Cell& cell) {
    const Problem& problem = cell.problem;
    const bool fits = problem.elements() * bytes_of(problem.element) <= kWarmBytes;
    return (!cell.warm || fits) &&
           (problem.op != ReduceOp::custom || problem.element == ElementType::float32);
}

void append(std::vector<Cell>& cells, const Grid& grid) {
    for (const ElementType type : grid.types) {
        for (const ReduceOp op : grid.ops) {
            for (const std::size_t size : grid.sizes) {
                const Cell cell{{type, op, Shape::flat, 1, size}, grid.misaligned, grid.warm};
                if (measurable(cell)) {
                    cells.push_back(cell);
                }
            }
        }
    }
}

void append_standard_flat(std::vector<Cell>& cells, bool quick) {
    const std::vector<ReduceOp> sum{ReduceOp::sum};
    append(cells, {kMainTypes, sum, powers(kLowest, kHighest, quick ? 2 : 1)});
    append(cells, {kMainTypes, sum, powers(kLowest, kHighest, quick ? 6 : 2), 0, true});
    append(cells, {kMainTypes, sum, powers(14, 26, 6, 7)});
    append(cells, {kMainTypes, sum, powers(14, 26, 6), 1});
    append(cells, {kOtherTypes, sum, powers(12, 28, quick ? 8 : 4)});
    append(cells, {kMainTypes, kOtherOps, powers(14, 26, quick ? 12 : 6)});
}

void append_matrices(std::vector<Cell>& cells, Shape shape, ElementType type, ReduceOp op) {
    for (const int exponent : {2, 6, 10, 14, 16, 18, 20, 22, 24}) {
        const std::size_t rows = std::size_t{1} << exponent;
        cells.push_back({{type, op, shape, rows, kShapedElements / rows}, 0, false});
    }
}

void append_segments(std::vector<Cell>& cells, ElementType type, ReduceOp op) {
    for (const Shape shape : {Shape::segments, Shape::skewed, Shape::hoarded}) {
        for (const int exponent : {4, 8, 12, 16}) {
            const std::size_t mean = std::size_t{1} << exponent;
            cells.push_back({{type, op, shape, kShapedElements / mean, mean}, 0, false});
        }
    }
}

bool wanted(const Request& request, std::string_view shape) {
    return request.shapes == "all" || request.shapes == shape;
}

/// Sums and maxima alone: what CUB is asked to do with segments.
void append_shaped(std::vector<Cell>& cells, const Request& request,
                   const std::vector<ElementType>& types, const std::vector<ReduceOp>& ops) {
    for (const ElementType type : types) {
        for (const ReduceOp op : ops) {
            if (op != ReduceOp::sum && op != ReduceOp::max) {
                continue;
            }
            if (wanted(request, "rows")) {
                append_matrices(cells, Shape::rows, type, op);
            }
            if (wanted(request, "columns")) {
                append_matrices(cells, Shape::columns, type, op);
            }
            if (wanted(request, "segments")) {
                append_segments(cells, type, op);
            }
        }
    }
}

template <class T>
std::vector<T> or_else(const std::vector<T>& named, const std::vector<T>& otherwise) {
    return named.empty() ? otherwise : named;
}

}  // namespace

std::vector<Cell> selected_cells(const Request& request) {
    std::vector<Cell> cells;
    const bool standard = request.types.empty() && request.ops.empty() && request.sizes.empty();
    if (wanted(request, "flat") && standard) {
        append_standard_flat(cells, request.quick);
    } else if (wanted(request, "flat")) {
        Grid grid{or_else(request.types, kMainTypes), or_else(request.ops, {ReduceOp::sum}),
                  or_else(request.sizes, powers(kLowest, kHighest, request.quick ? 2 : 1))};
        append(cells, grid);
        grid.warm = true;
        append(cells, grid);
    }
    append_shaped(cells, request, or_else(request.types, {ElementType::float32}),
                  or_else(request.ops, {ReduceOp::sum}));
    return cells;
}

}  // namespace jitune::bench
