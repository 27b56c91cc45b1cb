/* jitune template
kernel = "entropy"
backend = "cuda"
summary = "the entropy of the window around each element of a row-major array"
include = ["entropy_types.toml"]
sizes = ["rows", "columns"]
constraints = [
    "block <= max_threads_per_block",
    "warps_per_sm % warps = 0 AND 32 * warps_per_sm <= max_threads_per_sm",
    "by_bits OR method = 'histogram'",
    "by_bits OR shared_bytes <= shared_bytes_per_block - 1024",
    "counter_bytes = 1 OR NOT by_bits",
    "NOT by_bits OR (levels <= 32 AND radius <= lane_columns AND window <= 9)",
    # What only bits have.
    "by_bits OR (lane_columns = 4 AND direct = 8 AND warps_per_sm = 0 AND transfer = 'packs')",
]
prune = [
    "by_bits OR levels > 32 OR window >= 7",
    "counter_bytes = 1 OR levels <= 32",
    "lane_columns = 4 OR window <= 5",
    "direct = 8 OR window >= 5",
    "NOT by_bits OR transfer = iif(columns % pack = 0, 'packs', 'elements')",
    # Fewer registers than that do not do, and more are never asked for.
    "warps_per_sm = 0 OR warps_per_sm = iif(lane_columns = 4, 24, 16)",
    # Enough warps for the whole device, and none that has next to nothing to do.
    "strip = iif(by_bits, 2, 8) OR tiles * warps >= 8 * sm_count",
    "strip >= iif(by_bits, 12, 128) OR tile_rows >= rows OR tiles * warps <= 512 * sm_count",
    "strip = iif(by_bits, 2, 8) OR tile_rows < 2 * rows",
    "by_bits OR strip >= 8",
]
reproducibility = "'exact'"

[parameters]
# Bit-sliced counters of whole warps, or a histogram for each thread.
method = { values = ["bits", "histogram"], default = "bits", type = "jitune::Method" }
warps = { values = [1, 2, 4, 8], default = 2 }
# Rows that a thread marches down, in each field of its words.
strip = { values = [2, 4, 8, 12, 16, 24, 32, 64, 128], default = 16 }
lane_columns = { values = [4, 8], default = 4 }
# Counts below it are summed for all levels at once.
direct = { values = [8, 16], default = 8 }
# The second launch bound; 0 leaves it to the compiler.
warps_per_sm = { values = [0, 16, 24], default = 24 }
# Packs where every row begins with one.
transfer = { values = ["packs", "elements"], default = "packs", type = "jitune::Transfer" }
# A histogram's counters: of each level and thread.
counter_bytes = { values = [1, 4], default = 1 }

[derived]
by_bits = "method = 'bits'"
block = "32 * warps"
least_blocks = "warps_per_sm / warps"
pack = "iif(element_bytes = 1, lane_columns, 4)"
fields = "iif(levels <= 8, 4, iif(levels <= 16, 2, 1))"
shared_bytes = "iif(by_bits, 0, ceil_div(levels * counter_bytes, 4) * 4 * block + 4 * window * window)"
# A warp's first and last lanes of bits are there for their neighbours alone.
tiles_across = "ceil_div(columns, iif(by_bits, 30 * lane_columns * warps, block))"
tile_rows = "strip * iif(by_bits, fields, 1)"
tiles = "tiles_across * ceil_div(rows, tile_rows)"

[[default]]  # few windows: the smallest strips
# The defaults follow winners on an H100; docs/reference/performance.md has what they lose.
when = "levels <= 32 AND window = 5 AND rows * columns <= 1048576"
strip = 2
transfer = "iif(columns % 4 = 0, 'packs', 'elements')"

[[default]]
when = "levels <= 32 AND window <= 9 AND rows * columns <= 1048576"
warps = "iif(window = 3, 4, 8)"
strip = 2
warps_per_sm = 0
transfer = "iif(columns % 4 = 0, 'packs', 'elements')"

[[default]]  # rows that do not begin with packs need more warps to hide their loads
when = "levels <= 8 AND window = 5 AND columns % 4 <> 0"
strip = 2
transfer = "elements"

[[default]]
when = "levels <= 32 AND window <= 9 AND columns % 4 <> 0"
warps = 1
strip = 2
direct = "iif(window >= 7, 16, 8)"
warps_per_sm = 0
transfer = "elements"

[[default]]
when = "levels > 32 OR window > 9"
method = "histogram"
warps = 1
strip = "max(8, min(32, rows * columns / (1920 * sm_count)))"
warps_per_sm = 0

[arguments]
input = { access = "in", type = "element", count = "rows * columns" }
rows = { access = "scalar", type = "int64", value = "rows" }
columns = { access = "scalar", type = "int64", value = "columns" }
tiles_across = { access = "scalar", type = "uint32", value = "tiles_across" }
strip = { access = "scalar", type = "int32", value = "strip" }
scale = { access = "value", type = "float64", value = "1.0" }
output = { access = "out", type = "float32", count = "rows * columns" }

[[launch]]
entry = "jitune::entropy"
template = ["element", "window", "levels", "method", "warps", "lane_columns", "direct", "warps_per_sm", "transfer", "counter_bytes"]
arguments = ["input", "rows", "columns", "tiles_across", "strip", "scale", "output"]
block = "block"
grid = "tiles"
shared_bytes = "shared_bytes"
programmatic = "compute_capability >= 90"
*/
#include "jitune_entropy_bits.h"
#include "jitune_entropy_histogram.h"

namespace jitune {

enum class Method { bits, histogram };

/// A block's place among the tiles of an array.
struct Tile {
    unsigned across;
    long long down;
};

/// Tiles at the left, right and lower border take longest and come first, so that none of them is
/// what the device waits for in the end.
__device__ __forceinline__ Tile tile_of(unsigned block, unsigned tiles_across, unsigned tiles_down) {
    const unsigned borders = tiles_across < 2 ? tiles_across : 2;
    if (block < borders * tiles_down) {
        return {block < tiles_down ? 0 : tiles_across - 1, block % tiles_down};
    }
    const unsigned between = tiles_across - borders;
    const unsigned i = block - borders * tiles_down;
    return {1 + i % between, (i / between + tiles_down - 1) % tiles_down};
}

/// output = scale * (log N - (1/N) sum n log n) over the window around each element, of which the
/// array has N, n of each level (N. Abramson, "Information Theory and Coding", 1963, for the
/// entropy of a histogram). Windows are clipped at the borders. Both arrays need the alignment of
/// an element only.
template <class T, int window, int levels, Method method, int warps, int lane_columns, int direct,
          int warps_per_sm, Transfer transfer, int counter_bytes>
__global__ void __launch_bounds__(32 * warps, warps_per_sm / warps)
    entropy(const T* input, long long rows, long long columns, unsigned tiles_across, int strip,
            double scale, float* output) {
    wait_for_earlier_work();
    const Image<T> image{input, rows, columns, scale, output};
    const Tile tile = tile_of(blockIdx.x, tiles_across, gridDim.x / tiles_across);
    if constexpr (method == Method::bits) {
        using March = BitMarch<T, window, levels, warps, lane_columns, direct, transfer>;
        const int lane = threadIdx.x % 32;
        const long long warp = static_cast<long long>(tile.across) * warps + threadIdx.x / 32;
        const long long first = warp * (30 * lane_columns);
        if (first < columns) {
            const March march{image, tile.down * (strip * March::kStrips),
                              first + (lane - 1) * lane_columns, strip};
            march.run_either();
        }
    } else {
        using March = HistogramMarch<T, window, levels, counter_bytes, 32 * warps>;
        const long long column = static_cast<long long>(tile.across) * (32 * warps) + threadIdx.x;
        const March march{image, tile.down * strip, column, strip};
        march.run_either();
    }
}

}  // namespace jitune
