// A formula for each line of a matrix on the host. The stages are structs that the writer of formulas (src/formula)
// makes: as in jitune_host_formula.h, and with
//     line(number, start)  the same with the pointers of a line, whose first element is `start`
// or for columns, in place of fold(),
//     fold_columns(states, columns, first, end, n, stride)  adds the elements [first, end) of neighbouring columns to
//                                                           their states; elements are `stride` apart
#pragma once

#include "jitune_host_formula.h"
#include "jitune_line_shapes.h"

namespace jitune {

/// All stages of one line by this thread.
template <int kBlock, class... Stages>
void run_line(Index number, const LineExtent& extent, const Stages&... stages) {
    const auto run = [&]<class Stage>(const Stage& stage) {
        const Stage line = stage.line(number, extent.start);
        line.finish(fold_range<Stage, kBlock>(line, 0, extent.n, extent.n), extent.n);
    };
    (run(stages), ...);
}

/// Rows or segments: threads take lines, or share each line if there are few. The order of the combinations depends on
/// the lines, `threads` and `chunks_per_thread`.
template <LineShape shape, int kBlock, class Offset, class... Stages>
void run_lines(const Lines<Offset>& lines, int threads, int chunks_per_thread, const Stages&... stages) {
    constexpr Index kBytes = (Stages::kBytes + ...);
    if (lines.count < Index(threads)) {
        for (Index number = 0; number < lines.count; ++number) {
            const LineExtent extent = extent_of<shape>(lines, number);
            (run_stage<Stages, kBlock>(stages.line(number, extent.start), extent.n, threads, chunks_per_thread), ...);
        }
        return;
    }
    threads = useful_threads(threads, lines.count * (lines.length + 1) * kBytes);
    const Index shares = smaller(lines.count, Index(threads) * chunks_per_thread);
    for_each(shares, threads, [&](Index share) {
        const Index end = share_begin(lines.count, share + 1, shares);
        for (Index number = share_begin(lines.count, share, shares); number < end; ++number) {
            run_line<kBlock>(number, extent_of<shape>(lines, number), stages...);
        }
    });
}

/// Columns, kTile neighbouring ones at a time: threads take tiles, or share the rows of each tile if there are few.
template <int kBlock, class... Stages>
void run_columns(Index columns, Index rows, int threads, int chunks_per_thread, const Stages&... stages) {
    constexpr Index kTile = 64;
    constexpr Index kMaxChunks = 32;
    constexpr Index kBytes = (Stages::kBytes + ...);
    threads = useful_threads(threads, columns * rows * kBytes);
    const Index tiles = ceil_div(columns, kTile);
    const bool by_tile = tiles >= Index(threads);
    const Index chunks = by_tile ? 1 : smaller(kMaxChunks, smaller(Index(threads) * chunks_per_thread, ceil_div(rows, kBlock)));
    const auto run = [&]<class Stage>(const Stage& stage, Index tile) {
        using State = typename Stage::State;
        const Index first_column = tile * kTile;
        const Index count = smaller(kTile, columns - first_column);
        const Stage part = stage.line(first_column, first_column);
        State states[kMaxChunks][kTile];
        for_each(chunks, by_tile ? 1 : threads, [&](Index chunk) {
            for (State& state : states[chunk]) {
                state = Stage::identity();
            }
            const Index end = share_begin(rows, chunk + 1, chunks);
            // Blocks of rows round less than one loop over all.
            for (Index first = share_begin(rows, chunk, chunks); first < end; first += kBlock) {
                State block[kTile];
                for (State& state : block) {
                    state = Stage::identity();
                }
                part.fold_columns(block, count, first, smaller(end, first + kBlock), rows, columns);
                for (Index c = 0; c < count; ++c) {
                    states[chunk][c] = Stage::combine(states[chunk][c], block[c]);
                }
            }
        });
        for (Index c = 0; c < count; ++c) {
            State state = states[0][c];
            for (Index chunk = 1; chunk < chunks; ++chunk) {
                state = Stage::combine(state, states[chunk][c]);
            }
            part.line(c, c).finish(state, rows);
        }
    };
    for_each(tiles, by_tile ? threads : 1, [&](Index tile) { (run(stages, tile), ...); });
}

}  // namespace jitune
