/* jitune template
kernel = "transpose"
backend = "cuda"
summary = "the transpose of a row-major matrix of `rows` x `columns` elements"
sizes = ["rows", "columns"]
constraints = [
    "tile * block_rows <= max_threads_per_block AND tile * block_rows >= 32",
    "block_rows <= tile",
    "tile * (tile + padding) * 4 <= shared_bytes_per_block",
]
# Kernels that are no templates take their parameters as macros.
defines = ["tile", "block_rows", "padding"]

[parameters]
tile = { values = [16, 32, 64], default = 32 }     # rows and columns of what a block transposes
block_rows = { values = [1, 2, 4, 8, 16, 32], default = 32 }
padding = { values = [0, 1], default = 0 }         # elements between rows: without, banks collide

[arguments]
matrix = { access = "in", type = "float32", count = "rows * columns", fill = "iota" }
result = { access = "out", type = "float32", count = "rows * columns", tolerance = 0 }
rows = { access = "scalar", type = "int64", value = "rows" }
columns = { access = "scalar", type = "int64", value = "columns" }

[[launch]]
entry = "transpose"
arguments = ["result", "matrix", "rows", "columns"]
grid = ["ceil_div(columns, tile)", "ceil_div(rows, tile)"]
block = ["tile", "block_rows"]

[reference]
host = "transpose_on_the_host"
arguments = ["result", "matrix", "rows", "columns"]

[metrics]
bandwidth = { value = "8.0 * rows * columns / seconds / 1e9", unit = "GB/s" }
*/

extern "C" __global__ void __launch_bounds__(tile* block_rows)
    transpose(float* result, const float* matrix, long long rows, long long columns) {
    __shared__ float part[tile][tile + padding];
    const long long first_row = static_cast<long long>(blockIdx.y) * tile;
    const long long first_column = static_cast<long long>(blockIdx.x) * tile;
    for (int i = threadIdx.y; i < tile; i += block_rows) {
        const long long y = first_row + i;
        const long long x = first_column + threadIdx.x;
        if (y < rows && x < columns) {
            part[i][threadIdx.x] = matrix[y * columns + x];
        }
    }
    __syncthreads();
    for (int i = threadIdx.y; i < tile; i += block_rows) {
        const long long y = first_column + i;
        const long long x = first_row + threadIdx.x;
        if (y < columns && x < rows) {
            result[y * rows + x] = part[threadIdx.x][i];
        }
    }
}

#ifdef JITUNE_HOST
void transpose_on_the_host(float* result, const float* matrix, long rows, long columns) {
    for (long y = 0; y < rows; ++y) {
        for (long x = 0; x < columns; ++x) {
            result[x * rows + y] = matrix[y * columns + x];
        }
    }
}
#endif
