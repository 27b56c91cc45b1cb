// SPDX-License-Identifier: Apache-2.0
#include "families/reduce/reduce_checks.hpp"

#include <span>

#include "families/reduce/segment_offsets.hpp"

namespace jitune::internal {

namespace {

struct Row {
    std::int64_t outer;
    std::int64_t inner;
    std::size_t offset;
    Raggedness raggedness = Raggedness::even;  // of segments
};

// No size but 1 is a multiple of a pack, a warp or a tile. For every pack of up to 16 elements, at
// least one of the cases whose first or last element decides has a non-empty head and tail.
constexpr Row kFlat[] = {
    {1, 1, 1},       {1, 31, 0},      {1, 1027, 2},    {1, 4099, 3},
    {1, 70'001, 13}, {1, 262'147, 5}, {1, 600'011, 6},
};
// One row to a thread, a warp, a block, several blocks; in two all rows are aligned.
constexpr Row kRows[] = {
    {1, 1, 1},      {1027, 1, 0},    {3, 5, 1},      {31, 33, 2},    {129, 64, 0},
    {70'001, 3, 1}, {257, 1025, 13}, {5, 16'384, 0}, {3, 70'001, 6},
};
// One column and many, few rows and many; in two all rows are aligned.
constexpr Row kColumns[] = {
    {1, 1, 1},      {1, 1027, 0},    {5, 3, 1},     {33, 31, 2},    {65, 128, 0},
    {3, 70'001, 1}, {1025, 257, 13}, {1027, 64, 0}, {70'001, 3, 6},
};
constexpr Row kSegments[] = {
    {1, 1, 1},
    {1, 70'001, 13},
    {5, 3, 0},
    {1027, 4099, 2},
    {33, 300'007, 1},
    {4099, 40'009, 3},
    {301, 200'003, 6, Raggedness::one_huge},
    {70'001, 1031, 5, Raggedness::mostly_empty},
    {17, 65'537, 1, Raggedness::last_only},
};

std::span<const Row> rows_of(ReduceKind kind) {
    switch (kind) {
        case ReduceKind::rows:
            return kRows;
        case ReduceKind::columns:
            return kColumns;
        case ReduceKind::segments:
            return kSegments;
        default:
            return kFlat;
    }
}

ReduceCheck made(ReduceKind kind, const Row& row, std::mt19937_64& random) {
    ReduceCheck check{layout_of(kind, row.outer, row.inner), row.offset};
    if (kind == ReduceKind::segments) {
        check.layout.offsets = segment_offsets(row.outer, row.inner, row.raggedness, random);
    }
    return check;
}

}  // namespace

std::vector<ReduceCheck> reduce_checks(ReduceKind kind, std::mt19937_64& random) {
    std::vector<ReduceCheck> checks;
    for (const Row& row : rows_of(kind)) {
        checks.push_back(made(kind, row, random));
    }
    return checks;
}

ReduceCheck special_check(ReduceKind kind, std::mt19937_64& random) {
    switch (kind) {
        case ReduceKind::rows:
            return made(kind, {37, 457, 1}, random);
        case ReduceKind::columns:
            return made(kind, {457, 37, 1}, random);
        case ReduceKind::segments:
            return made(kind, {37, 16'909, 1}, random);
        default:
            return made(kind, {1, 4097, 1}, random);
    }
}

}  // namespace jitune::internal
