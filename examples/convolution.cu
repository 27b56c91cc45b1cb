/* jitune template
kernel = "convolution"
backend = "cuda"
summary = "each element of an image with its neighbours, weighted by a filter; zeros beyond the edges"
sizes = ["height", "width", "radius"]
constraints = [
    "block_x * block_y <= max_threads_per_block",
    "shared_bytes <= shared_bytes_per_block",
]

[types.element]
float32 = "float"

[parameters]
block_x = { values = [16, 32, 64, 128], default = 16 }
block_y = { values = [1, 2, 4, 8, 16], default = 16 }
items_x = { values = [1, 2, 4], default = 1 }  # elements of the result for each thread
items_y = { values = [1, 2, 4, 8], default = 1 }
staging = { values = ["direct", "shared"], default = "direct", type = "Staging" }

[derived]
tile_x = "block_x * items_x"
tile_y = "block_y * items_y"
side = "2 * radius + 1"
shared_bytes = "iif(staging = 'shared', (tile_x + 2 * radius) * (tile_y + 2 * radius) * element_bytes, 0)"

[arguments]
image = { access = "in", type = "element", count = "height * width" }
filter = { access = "in", type = "element", count = "side * side" }
scale = { access = "value", type = "element", value = "0.5" }
result = { access = "out", type = "element", count = "height * width" }
height = { access = "scalar", type = "int32", value = "height" }
width = { access = "scalar", type = "int32", value = "width" }
radius = { access = "scalar", type = "int32", value = "radius" }

[[launch]]
entry = "convolution"
template = ["element", "block_x", "block_y", "items_x", "items_y", "staging"]
arguments = ["image", "filter", "scale", "result", "height", "width", "radius"]
grid = ["ceil_div(width, tile_x)", "ceil_div(height, tile_y)"]
block = ["block_x", "block_y"]
shared_bytes = "shared_bytes"

[reference]
entry = "convolution_plain"
template = ["element"]
arguments = ["image", "filter", "scale", "result", "height", "width", "radius"]
grid = ["ceil_div(width, 16)", "ceil_div(height, 16)"]
block = ["16", "16"]

[metrics]
speed = { value = "2.0 * height * width * side * side / seconds / 1e9", unit = "GFLOP/s" }
*/

/// Where a thread finds its neighbours.
enum class Staging {
    direct,  ///< in global memory, through the caches
    shared,  ///< in the block's own copy
};

template <class T>
__device__ T pixel(const T* image, int y, int x, int height, int width) {
    const bool inside = y >= 0 && y < height && x >= 0 && x < width;
    return inside ? image[static_cast<long long>(y) * width + x] : T(0);
}

template <class T, int kBlockX, int kBlockY, int kItemsX, int kItemsY, Staging kStaging>
__global__ void __launch_bounds__(kBlockX* kBlockY)
    convolution(const T* image, const T* filter, T scale, T* result, int height, int width,
                int radius) {
    extern __shared__ __align__(16) unsigned char shared[];
    T* const part = reinterpret_cast<T*>(shared);
    const int first_x = blockIdx.x * kBlockX * kItemsX;
    const int first_y = blockIdx.y * kBlockY * kItemsY;
    const int part_width = kBlockX * kItemsX + 2 * radius;
    const int part_height = kBlockY * kItemsY + 2 * radius;
    if constexpr (kStaging == Staging::shared) {
        for (int y = threadIdx.y; y < part_height; y += kBlockY) {
            for (int x = threadIdx.x; x < part_width; x += kBlockX) {
                part[y * part_width + x] =
                    pixel(image, first_y + y - radius, first_x + x - radius, height, width);
            }
        }
        __syncthreads();
    }
    const int side = 2 * radius + 1;
    T sums[kItemsY][kItemsX] = {};
    for (int j = 0; j < side; ++j) {
        for (int i = 0; i < side; ++i) {
            const T weight = filter[j * side + i];
            for (int v = 0; v < kItemsY; ++v) {
                for (int u = 0; u < kItemsX; ++u) {
                    const int y = v * kBlockY + threadIdx.y + j;
                    const int x = u * kBlockX + threadIdx.x + i;
                    sums[v][u] += weight * (kStaging == Staging::shared
                                                ? part[y * part_width + x]
                                                : pixel(image, first_y + y - radius,
                                                        first_x + x - radius, height, width));
                }
            }
        }
    }
    for (int v = 0; v < kItemsY; ++v) {
        for (int u = 0; u < kItemsX; ++u) {
            const int y = first_y + v * kBlockY + threadIdx.y;
            const int x = first_x + u * kBlockX + threadIdx.x;
            if (y < height && x < width) {
                result[static_cast<long long>(y) * width + x] = scale * sums[v][u];
            }
        }
    }
}

/// What the tuned kernel must give.
template <class T>
__global__ void convolution_plain(const T* image, const T* filter, T scale, T* result, int height,
                                  int width, int radius) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        T sum = 0;
        for (int j = -radius; j <= radius; ++j) {
            for (int i = -radius; i <= radius; ++i) {
                sum += filter[(j + radius) * (2 * radius + 1) + i + radius] *
                       pixel(image, y + j, x + i, height, width);
            }
        }
        result[static_cast<long long>(y) * width + x] = scale * sum;
    }
}
