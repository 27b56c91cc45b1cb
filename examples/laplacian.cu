/* jitune template
kernel = "laplacian"
backend = "cuda"
summary = "6 times each element of a cube, less its six neighbours; zeros beyond the faces"
sizes = ["m"]
constraints = ["block_x * block_y <= max_threads_per_block"]
prune = ["block_x * block_y >= 64"]
defines = ["block_x", "block_y", "items"]

[parameters]
block_x = { values = [32, 64, 128, 256], default = 32 }
block_y = { values = [1, 2, 4, 8, 16], default = 8 }
items = { values = [1, 2, 4, 8, 16], default = 4 }  # elements of a thread, one behind the other along z

[arguments]
p = { access = "in", type = "float32", count = "m * m * m" }
q = { access = "out", type = "float32", count = "m * m * m" }
m = { access = "scalar", type = "int32", value = "m" }

[[launch]]
entry = "laplacian"
arguments = ["p", "q", "m"]
grid = ["ceil_div(m, block_x)", "ceil_div(m, block_y)", "ceil_div(m, items)"]
block = ["block_x", "block_y"]

[reference]
host = "laplacian_on_the_host"
arguments = ["p", "q", "m"]

[metrics]
bandwidth = { value = "8.0 * m * m * m / seconds / 1e9", unit = "GB/s" }
*/

extern "C" __global__ void __launch_bounds__(block_x* block_y)
    laplacian(const float* __restrict__ p, float* __restrict__ q, int m) {
    const int x = blockIdx.x * block_x + threadIdx.x;
    const int y = blockIdx.y * block_y + threadIdx.y;
    const int first = blockIdx.z * items;
    if (x >= m || y >= m) {
        return;
    }
    const long long plane = static_cast<long long>(m) * m;
    long long at = first * plane + static_cast<long long>(y) * m + x;
    float before = first > 0 ? p[at - plane] : 0.0f;
    float here = p[at];
#pragma unroll
    for (int z = first; z < first + items; ++z) {
        if (z >= m) {
            return;
        }
        const float behind = z + 1 < m ? p[at + plane] : 0.0f;
        const float left = x > 0 ? p[at - 1] : 0.0f;
        const float right = x + 1 < m ? p[at + 1] : 0.0f;
        const float above = y > 0 ? p[at - m] : 0.0f;
        const float below = y + 1 < m ? p[at + m] : 0.0f;
        q[at] = 6.0f * here - (before + behind) - (left + right) - (above + below);
        before = here;
        here = behind;
        at += plane;
    }
}

#ifdef JITUNE_HOST
void laplacian_on_the_host(const float* p, float* q, int m) {
    const auto value = [&](long x, long y, long z) {
        const bool inside = x >= 0 && x < m && y >= 0 && y < m && z >= 0 && z < m;
        return inside ? p[(z * m + y) * m + x] : 0.0f;
    };
    for (long z = 0; z < m; ++z) {
        for (long y = 0; y < m; ++y) {
            for (long x = 0; x < m; ++x) {
                q[(z * m + y) * m + x] = 6 * value(x, y, z) - value(x - 1, y, z) -
                                         value(x + 1, y, z) - value(x, y - 1, z) -
                                         value(x, y + 1, z) - value(x, y, z - 1) -
                                         value(x, y, z + 1);
            }
        }
    }
}
#endif
