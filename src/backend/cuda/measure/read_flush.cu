// SPDX-License-Identifier: Apache-2.0 Reads `count` words, so that whatever was in the caches
// before is not any more. Reads, because written lines would go back to memory while the next
// kernel is timed. All words equal `filling`, but the compiler does not know that: so it keeps the
// reads, which decide whether `sink` is written.
namespace jitune {

__global__ void read_flush(const uint4* words, unsigned long long count, unsigned filling,
                           unsigned* sink) {
    unsigned different = 0;
    const unsigned long long stride = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
    for (unsigned long long i = static_cast<unsigned long long>(blockIdx.x) * blockDim.x +
                                threadIdx.x;
         i < count; i += stride) {
        const uint4 word = words[i];
        different |= (word.x ^ filling) | (word.y ^ filling) | (word.z ^ filling) |
                     (word.w ^ filling);
    }
    if (different != 0) {
        *sink = different;
    }
}

}  // namespace jitune
