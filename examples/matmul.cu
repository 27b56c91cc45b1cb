/* jitune template
kernel = "matmul"
backend = "cuda"
summary = "c = a * b, row-major: a has m x k elements, b k x n, c m x n"
sizes = ["m", "n", "k"]
constraints = [
    "threads <= max_threads_per_block AND threads >= 32",
    "shared_bytes <= shared_bytes_per_block",
    # Rows begin at addresses that loads of so many elements can begin at.
    "n % vector = 0 AND k % vector = 0",
]
prune = ["threads <= 512"]

[types.element]
float32 = "float"
float64 = "double"

[parameters]
block_x = { values = [8, 16, 32], default = 16 }
block_y = { values = [4, 8, 16, 32], default = 16 }
rows = { values = [1, 2, 4, 8], default = 1 }     # of c for each thread
columns = { values = [1, 2, 4, 8], default = 1 }  # likewise
tile_k = { values = [8, 16, 32], default = 16 }   # columns of a and rows of b in shared memory
vector = { values = [1, 2, 4], default = 1 }      # elements of one load

[derived]
threads = "block_x * block_y"
tile_m = "block_y * rows"
tile_n = "block_x * columns"
shared_bytes = "(tile_m + tile_n) * tile_k * element_bytes"

[[default]]  # few elements of c: a thread for each
when = "m * n <= 1024 * sm_count"
block_y = 8
tile_k = 32
vector = "iif(n % 4 = 0 AND k % 4 = 0, 4, iif(n % 2 = 0 AND k % 2 = 0, 2, 1))"

[[default]]
when = "m * n <= 4096 * sm_count"
block_y = 8
rows = 4
tile_k = 32
vector = "iif(n % 4 = 0 AND k % 4 = 0, 4, iif(n % 2 = 0 AND k % 2 = 0, 2, 1))"

[[default]]
block_x = 32
block_y = 8
rows = 8
columns = 2
tile_k = 32
vector = "iif(n % 4 = 0 AND k % 4 = 0, 4, iif(n % 2 = 0 AND k % 2 = 0, 2, 1))"

[arguments]
a = { access = "in", type = "element", count = "m * k", alignment = 16 }
b = { access = "in", type = "element", count = "k * n", alignment = 16 }
c = { access = "out", type = "element", count = "m * n" }
m = { access = "scalar", type = "int64", value = "m" }
n = { access = "scalar", type = "int64", value = "n" }
k = { access = "scalar", type = "int64", value = "k" }

[[launch]]
entry = "matmul"
template = ["element", "block_x", "block_y", "rows", "columns", "tile_k", "vector"]
arguments = ["a", "b", "c", "m", "n", "k"]
grid = ["ceil_div(n, tile_n)", "ceil_div(m, tile_m)"]
block = ["block_x", "block_y"]
shared_bytes = "shared_bytes"

[reference]
entry = "matmul_plain"
template = ["element"]
arguments = ["a", "b", "c", "m", "n", "k"]
grid = ["ceil_div(n, 16)", "ceil_div(m, 16)"]
block = ["16", "16"]

[metrics]
speed = { value = "2.0 * m * n * k / seconds / 1e9", unit = "GFLOP/s" }
*/

/// Elements that are loaded together.
template <class T, int kCount>
struct alignas(sizeof(T) * kCount <= 16 ? sizeof(T) * kCount : 16) Pack {
    T values[kCount];
};

/// Copies a tile of `kRows` x `kColumns` elements to shared memory, with zeros beyond the matrix of
/// rows x columns.
template <class T, int kRows, int kColumns, int kThreads, int kVector>
__device__ void load_tile(T* tile, const T* matrix, long long row, long long column,
                          long long rows, long long columns, int thread) {
    using Loaded = Pack<T, kVector>;
    for (int i = thread * kVector; i < kRows * kColumns; i += kThreads * kVector) {
        const long long y = row + i / kColumns;
        const long long x = column + i % kColumns;
        Loaded loaded = {};
        if (y < rows && x < columns) {
            loaded = *reinterpret_cast<const Loaded*>(matrix + y * columns + x);
        }
        *reinterpret_cast<Loaded*>(tile + i) = loaded;
    }
}

template <class T, int kBlockX, int kBlockY, int kRows, int kColumns, int kTileK, int kVector>
__global__ void __launch_bounds__(kBlockX* kBlockY)
    matmul(const T* a, const T* b, T* c, long long m, long long n, long long k) {
    constexpr int kTileM = kBlockY * kRows;
    constexpr int kTileN = kBlockX * kColumns;
    constexpr int kThreads = kBlockX * kBlockY;
    extern __shared__ __align__(16) unsigned char shared[];
    T* const tile_a = reinterpret_cast<T*>(shared);
    T* const tile_b = tile_a + kTileM * kTileK;
    const int thread = threadIdx.y * kBlockX + threadIdx.x;
    const long long first_row = static_cast<long long>(blockIdx.y) * kTileM;
    const long long first_column = static_cast<long long>(blockIdx.x) * kTileN;

    T sums[kRows][kColumns] = {};
    for (long long p = 0; p < k; p += kTileK) {
        load_tile<T, kTileM, kTileK, kThreads, kVector>(tile_a, a, first_row, p, m, k, thread);
        load_tile<T, kTileK, kTileN, kThreads, kVector>(tile_b, b, p, first_column, k, n, thread);
        __syncthreads();
        for (int q = 0; q < kTileK; ++q) {
            T from_b[kColumns];
            for (int j = 0; j < kColumns; ++j) {
                from_b[j] = tile_b[q * kTileN + j * kBlockX + threadIdx.x];
            }
            for (int i = 0; i < kRows; ++i) {
                const T from_a = tile_a[(i * kBlockY + threadIdx.y) * kTileK + q];
                for (int j = 0; j < kColumns; ++j) {
                    sums[i][j] += from_a * from_b[j];
                }
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < kRows; ++i) {
        for (int j = 0; j < kColumns; ++j) {
            const long long y = first_row + i * kBlockY + threadIdx.y;
            const long long x = first_column + j * kBlockX + threadIdx.x;
            if (y < m && x < n) {
                c[y * n + x] = sums[i][j];
            }
        }
    }
}

/// What the tuned kernel must give.
template <class T>
__global__ void matmul_plain(const T* a, const T* b, T* c, long long m, long long n, long long k) {
    const long long x = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
    const long long y = static_cast<long long>(blockIdx.y) * blockDim.y + threadIdx.y;
    if (x < n && y < m) {
        T sum = 0;
        for (long long p = 0; p < k; ++p) {
            sum += a[y * k + p] * b[p * n + x];
        }
        c[y * n + x] = sum;
    }
}
