// SPDX-License-Identifier: Apache-2.0
// Adds to sums[r] a number for each 16 bytes of region r, and for each byte of its rest: equal
// regions have equal sums, whatever the order of addition, and regions that differ in any place
// have different ones but for one pair in 2^64. Regions begin at multiples of 16 bytes. The mixing
// steps are those of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number
// generators, 2014).
namespace jitune {

using Word = unsigned long long;

struct Region {
    Word address;
    Word bytes;
};

__device__ inline Word mixed(Word x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

__global__ void checksum_regions(const Region* regions, Word count, Word* sums) {
    const Word thread = static_cast<Word>(blockIdx.x) * blockDim.x + threadIdx.x;
    const Word stride = static_cast<Word>(gridDim.x) * blockDim.x;
    for (Word r = 0; r < count; ++r) {
        const Region region = regions[r];
        const Word words = region.bytes / 16;
        const ulonglong2* const data = reinterpret_cast<const ulonglong2*>(region.address);
        Word sum = 0;
        for (Word i = thread; i < words; i += stride) {
            const ulonglong2 word = data[i];
            sum += mixed(word.x + (2 * i + 1) * 0x9e3779b97f4a7c15ull) ^
                   mixed(word.y + (2 * i + 2) * 0xd1342543de82ef95ull);
        }
        if (thread < region.bytes % 16) {
            const Word at = 16 * words + thread;
            sum += mixed(reinterpret_cast<const unsigned char*>(region.address)[at] + (at + 1) * 256);
        }
        for (int apart = 16; apart > 0; apart /= 2) {
            sum += __shfl_down_sync(0xffffffffu, sum, apart);
        }
        if (threadIdx.x % 32 == 0 && sum != 0) {
            atomicAdd(&sums[r], sum);
        }
    }
}

}  // namespace jitune
