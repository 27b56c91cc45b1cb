// SPDX-License-Identifier: Apache-2.0
// Sets `*different` if two arrays differ. They are read in words of 16 bytes if both begin
// equally far from a boundary of 16, else by bytes.
namespace jitune {

__global__ void compare_bytes(const unsigned char* one, const unsigned char* other,
                              unsigned long long bytes, unsigned* different) {
    using Address = unsigned long long;
    const Address first = reinterpret_cast<Address>(one);
    const bool alike = (first - reinterpret_cast<Address>(other)) % 16 == 0;
    const Address to_boundary = (16 - first % 16) % 16;
    const Address head = alike && to_boundary < bytes ? to_boundary : bytes;
    const Address words = (bytes - head) / 16;
    const uint4* const one_words = reinterpret_cast<const uint4*>(one + head);
    const uint4* const other_words = reinterpret_cast<const uint4*>(other + head);

    unsigned found = 0;
    const Address thread = static_cast<Address>(blockIdx.x) * blockDim.x + threadIdx.x;
    const Address stride = static_cast<Address>(gridDim.x) * blockDim.x;
    for (Address i = thread; i < words; i += stride) {
        const uint4 a = one_words[i];
        const uint4 b = other_words[i];
        found |= (a.x ^ b.x) | (a.y ^ b.y) | (a.z ^ b.z) | (a.w ^ b.w);
    }
    for (Address i = thread; i < bytes - 16 * words; i += stride) {  // before and behind the words
        const Address at = i < head ? i : i + 16 * words;
        found |= one[at] ^ other[at];
    }
    if (found != 0) {
        *different = 1;
    }
}

}  // namespace jitune
