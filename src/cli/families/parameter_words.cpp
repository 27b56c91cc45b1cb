// SPDX-License-Identifier: Apache-2.0
#include "cli/families/parameter_words.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "template/problem.hpp"

namespace jitune::internal {

namespace {

std::vector<ParameterWords> threads_and_blocks() {
    return {
        {"block", "", "threads of a block"},
        {"blocks_per_sm",
         "",
         "blocks that the grid has for each multiprocessor",
         {{"0", "one block in all"}, {"1024", "a block for each row or segment, or nearly"}}},
        {"blocks_per_sm",
         "stencil",
         "blocks for each multiprocessor that stay for tile after tile",
         {{"0", "each block has one tile"}}},
        {"threads_per_sm",
         "",
         "threads of a multiprocessor that the compiler must leave registers for",
         {{"0", "the compiler decides"}}},
        {"warps", "", "warps of 32 threads in a block"},
        {"warps_per_sm",
         "",
         "warps of a multiprocessor that the compiler must leave registers for",
         {{"0", "the compiler decides"}}},
        {"cluster", "", "blocks of a cluster, which read each other's shared memory"},
        {"threads_across", "", "threads of a block beside each other, each with a pack of columns"},
        {"threads_per_row", "", "threads that share a row"},
        {"threads_per_segment", "", "threads that share a segment"},
    };
}

std::vector<ParameterWords> loads_and_stores() {
    return {
        {"items_per_thread", "", "elements that a thread loads before it combines them"},
        {"outputs_per_thread", "", "consecutive outputs that a thread computes"},
        {"unroll", "", "loads that a thread has in flight"},
        {"pack_bytes", "", "bytes that one instruction loads"},
        {"load",
         "",
         "what loads ask of the caches",
         {{"standard", "nothing"},
          {"streaming", "keep out of L1, fetch 256 bytes into L2"},
          {"evict_first", "keep out of L1, leave L2 first"}}},
        {"store",
         "",
         "what stores ask of the caches",
         {{"standard", "nothing"}, {"streaming", "leave the caches first"}}},
        {"bulk_stages",
         "",
         "tiles in the ring of shared memory that the bulk copy engine (TMA) fills",
         {{"0", "no ring: threads load by themselves"}}},
        {"async",
         "",
         "how inputs reach shared memory",
         {{"0", "through registers"}, {"1", "past the registers (cp.async)"}}},
        {"exchange",
         "",
         "how outputs are stored",
         {{"0", "each thread stores its own"},
          {"1", "through shared memory, so that a warp stores in one piece"}}},
        {"transfer",
         "entropy",
         "how a warp reads and writes the rows of a tile",
         {{"packs", "in packs; every row begins with one"},
          {"elements", "element by element, for rows of any length"}}},
    };
}

std::vector<ParameterWords> finishes_and_layouts() {
    return {
        {"finish",
         "",
         "how the results of blocks become one",
         {{"direct", "there is one block"},
          {"slots", "each block stores value and flag in one word; the last block polls them"},
          {"ticket", "each block stores and counts; the last to arrive reads all"},
          {"packed", "one 64-bit atomic adds and counts"},
          {"atomic", "two atomics, in any order"},
          {"cluster", "blocks of a cluster in shared memory, then slots"},
          {"two_launches", "a second launch"}}},
        {"index_bytes", "", "bytes of the index that arg_min and arg_max carry"},
        {"layout",
         "reduce_rows",
         "where the threads of a row find its elements",
         {{"direct", "in global memory"},
          {"staged", "in shared memory, which the block fills with whole rows"}}},
        {"release",
         "reduce_rows",
         "what the stream's next launch waits for, if programmatic (compute capability 9.0)",
         {{"early", "all blocks have started"}, {"late", "all blocks have ended"}}},
        {"layout",
         "reduce_columns",
         "how a block lies over the matrix",
         {{"flat", "one thread after the other over the memory, for few columns"},
          {"tiles", "threads_across packs wide, the other threads below"}}},
        {"layout",
         "reduce_segments",
         "what is shared out among the threads",
         {{"groups", "the segments: threads_per_segment for each"},
          {"merge", "elements and ends of segments, in equal shares of both together"}}},
    };
}

std::vector<ParameterWords> methods() {
    return {
        {"staging",
         "stencil",
         "how a thread gets its inputs",
         {{"shared", "the block copies its tile to shared memory"},
          {"bulk", "the bulk copy engine fetches the next tile meanwhile"},
          {"register_cache", "from registers of its warp, by shuffles"},
          {"direct", "each thread loads all that it needs"}}},
        {"evaluation",
         "",
         "how the elements of a neighbourhood are added",
         {{"direct", "each output from its own inputs"},
          {"by_input", "each input to all outputs that need it before the next input"},
          {"nested", "sums that several outputs share are added once"}}},
        {"method",
         "",
         "how levels in a window are counted",
         {{"bits", "by whole warps, one bit of each count in a word"},
          {"histogram", "a histogram for each thread, which slides down its column"},
          {"columns", "histograms of columns, of which windows are sums"},
          {"slide", "a histogram that slides along each row"}}},
        {"strip", "entropy", "rows that a thread marches down"},
        {"strip", "stencil", "outputs that a thread works on at a time, in the cache next to it"},
        {"lane_columns", "", "columns of a thread"},
        {"direct", "", "counts below it are summed for all levels at once"},
        {"counter_bytes", "", "bytes of a counter in a histogram"},
        {"summation",
         "",
         "how sums of floats are kept accurate",
         {{"pairwise", "sums of about as many elements are added"},
          {"compensated", "the error of each addition is carried along"}}},
    };
}

std::vector<ParameterWords> host_and_machine() {
    return {
        {"cores_per_thread", "", "processors for each thread; 1: a thread on every processor"},
        {"chunks_per_thread", "",
         "pieces of the array for each thread; with several, the thread that is done first takes "
         "more"},
        {"simd_bytes_used", "", "bytes of a vector instruction"},
        {"strip_bytes", "", "bytes of a row that a thread works on at a time"},
        {"tile_columns", "", "columns of a tile, which one thread works on at a time"},
        {"tile_rows", "", "rows of a tile, which one thread works on at a time"},
        {"processors",
         "",
         "where arrays in host memory are worked on",
         {{"host", "on the CPU"}, {"gpus", "on GPUs"}, {"all", "on the CPU and the GPUs"}}},
        {"gpus", "", "GPUs that take part"},
        {"slots", "", "pieces that a GPU has in work at a time, each with a thread that copies"},
        {"chunk_kib", "", "KiB of a piece"},
        {"staging",
         "machine",
         "how data reach a GPU",
         {{"pinned", "by jitune's threads, through page-locked memory"},
          {"pageable", "by the driver, from the caller's own memory"}}},
        {"transfer",
         "machine",
         "what is copied to a GPU",
         {{"elements", "the elements as they are"}, {"bytes", "their levels, a byte each"}}},
    };
}

bool fits(const ParameterWords& row, const FrontMatter& source) {
    const std::string_view platform = to_string(source.platform);
    return row.of.empty() || row.of == source.kernel || row.of == platform;
}

}  // namespace

std::span<const ParameterWords> parameter_words() {
    static const std::vector<ParameterWords> kRows = [] {
        std::vector<ParameterWords> rows;
        for (const auto& part : {threads_and_blocks(), loads_and_stores(), finishes_and_layouts(),
                                 methods(), host_and_machine()}) {
            rows.insert(rows.end(), part.begin(), part.end());
        }
        return rows;
    }();
    return kRows;
}

const ParameterWords* find_parameter_words(const FrontMatter& source, std::string_view name) {
    const ParameterWords* best = nullptr;
    const std::string_view platform = to_string(source.platform);
    for (const ParameterWords& row : parameter_words()) {
        const bool better = best == nullptr || best->of.empty() || row.of == platform;
        if (row.name == name && fits(row, source) && better) {
            best = &row;
        }
    }
    return best;
}

std::vector<ExplainedSetting> explain_configuration(const FrontMatter& source,
                                                    std::string_view configuration) {
    std::vector<ExplainedSetting> settings;
    for (const std::string_view setting : settings_of(configuration)) {
        const std::string_view name = setting.substr(0, setting.find('='));
        const std::string_view value = setting.substr(std::min(setting.size(), name.size() + 1));
        const ParameterWords* const row = find_parameter_words(source, name);
        std::string meaning(row == nullptr ? "" : row->meaning);
        if (row != nullptr) {
            const auto found =
                std::find_if(row->values.begin(), row->values.end(),
                             [&](const ValueWords& one) { return one.value == value; });
            meaning += found == row->values.end() ? "" : fmt::format(": {}", found->meaning);
        }
        settings.push_back({std::string(name), std::string(value), std::move(meaning)});
    }
    return settings;
}

}  // namespace jitune::internal
