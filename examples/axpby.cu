/* jitune template
kernel = "axpby"
backend = "cuda"
summary = "y = alpha * x + beta * y, in place"
sizes = ["n"]
defines = ["block", "items"]

[types.element]
float32 = "float"
float64 = "double"

[parameters]
block = { values = [64, 128, 256, 512, 1024], default = 256 }
items = { values = [1, 2, 4, 8], default = 1 }  # elements that a thread works on

[arguments]
y = { access = "inout", type = "element", count = "n" }
alpha = { access = "value", type = "element", value = "0.5" }
x = { access = "in", type = "element", count = "n" }
beta = { access = "value", type = "element", value = "0.25" }
n = { access = "scalar", type = "int64", value = "n" }

[[launch]]
entry = "axpby"
template = ["element"]
arguments = ["y", "alpha", "x", "beta", "n"]
grid = "ceil_div(n, block * items)"
block = "block"

[reference]
host = "axpby_on_the_host"
template = ["element"]
arguments = ["y", "alpha", "x", "beta", "n"]

[metrics]
bandwidth = { value = "3.0 * n * element_bytes / seconds / 1e9", unit = "GB/s" }
*/

template <class T>
__global__ void axpby(T* y, T alpha, const T* x, T beta, long long n) {
    const long long first = (long long)blockIdx.x * block * items + threadIdx.x;
#pragma unroll
    for (int i = 0; i < items; ++i) {
        const long long at = first + i * block;
        if (at < n) {
            y[at] = alpha * x[at] + beta * y[at];
        }
    }
}

#ifdef JITUNE_HOST
template <class T>
void axpby_on_the_host(T* y, T alpha, const T* x, T beta, long long n) {
    for (long long i = 0; i < n; ++i) {
        y[i] = alpha * x[i] + beta * y[i];
    }
}
#endif
