/* jitune template
kernel = "entropy"
backend = "host"
summary = "the entropy of the window around each element of a row-major array, tile by tile"
include = ["entropy_types.toml"]
cache = "warm"
sizes = ["rows", "columns"]
constraints = [
    "cores_per_thread <= cores",
    "method = 'slide' OR (levels <= 64 AND window <= 11)",
]
prune = [
    # Threads that would get no tile make no difference.
    "threads = 1 OR threads <= rows * columns / 4096",
    "method = 'columns' OR levels > 16 OR window > 11",
    "tile_rows = 16 OR tile_rows < rows",
]
reproducibility = "'fixed'"

[parameters]
# Histograms of columns, of which windows are sums, or one that slides along each row.
method = { values = ["columns", "slide"], default = "columns", type = "jitune::Method" }
tile_columns = { values = [128, 512], default = 128 }
tile_rows = { values = [16, 64, 256], default = 64 }
# Halved again and again, any number of cores gives different thread counts, from all to one. The
# last legal value is the default: all cores, or as many as have a tile.
cores_per_thread = { values = [512, 256, 128, 64, 32, 16, 8, 4, 2, 1], default = 1 }

[derived]
threads = "cores / cores_per_thread"

[arguments]
input = { access = "in", type = "element", count = "rows * columns" }
rows = { access = "scalar", type = "int64", value = "rows" }
columns = { access = "scalar", type = "int64", value = "columns" }
tile_rows = { access = "scalar", type = "int64", value = "tile_rows" }
threads = { access = "scalar", type = "int32", value = "threads" }
scale = { access = "value", type = "float64", value = "1.0" }
output = { access = "out", type = "float32", count = "rows * columns" }

[[launch]]
entry = "jitune::entropy"
template = ["element", "window", "levels", "method", "tile_columns"]
arguments = ["input", "rows", "columns", "tile_rows", "threads", "scale", "output"]
*/
#include "jitune_host_entropy.h"
#include "jitune_host_threads.h"

namespace jitune {

enum class Method { columns, slide };

/// output = scale * (log N - (1/N) sum n log n) over the window around each element, of which the
/// array has N, n of each level. Windows are clipped at the borders. Each tile goes over all of
/// its windows' elements, so that tiles depend on nothing else.
template <class T, int window, int levels, Method method, int tile_columns>
void entropy(const T* input, long long rows, long long columns, long long tile_rows, int threads,
             double scale, float* output) {
    const long long across = (columns + tile_columns - 1) / tile_columns;
    const long long down = (rows + tile_rows - 1) / tile_rows;
    for_each(static_cast<Index>(across * down), threads, [&](Index index) {
        const long long row = static_cast<long long>(index) / across * tile_rows;
        const long long column = static_cast<long long>(index) % across * tile_columns;
        const long long end_row = row + tile_rows < rows ? row + tile_rows : rows;
        const long long end_column = column + tile_columns < columns ? column + tile_columns : columns;
        const Tile<T, window> tile{input,  rows,       columns, row,   end_row,
                                   column, end_column, scale,   output};
        if constexpr (method == Method::columns) {
            sum_columns<T, window, levels, tile_columns>(tile);
        } else {
            slide<T, window, levels, tile_columns>(tile);
        }
    });
}

}  // namespace jitune
