// Packs of elements from global memory, 4 to 16 bytes by one instruction.
#pragma once

#include "jitune_block.h"

namespace jitune {

/// What a load asks of the caches (PTX ISA, ld).
enum class Load {
    standard,
    streaming,    ///< keeps out of L1 and fetches 256 bytes into L2
    evict_first,  ///< keeps out of L1 and leaves L2 first
};

/// Before any read or write of what earlier work on the stream may still be using. From sm_90 on,
/// a programmatic launch may start the grid before that work has ended, and this waits for its end;
/// the grid after this one may start as soon as all blocks of this one have (PTX ISA,
/// griddepcontrol).
__device__ __forceinline__ void wait_for_earlier_work() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/// Loads with one cache policy. They are volatile, for the compiler must not move them above
/// wait_for_earlier_work(); and not `.nc`, for data that this grid may have waited for is not
/// read-only during its life.
template <Load load>
struct Loader {
    __device__ __forceinline__ Loader() {
#if __CUDA_ARCH__ >= 800
        if constexpr (load == Load::evict_first) {
            asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
        }
#endif
    }

    template <class P>
    __device__ __forceinline__ P operator()(const P* from) const {
        static_assert(sizeof(P) <= 16);
        if constexpr (sizeof(P) == 16) {
            uint4 bits;
            if constexpr (load == Load::evict_first) {
                asm volatile(
                    "ld.global.L1::no_allocate.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
                    : "=r"(bits.x), "=r"(bits.y), "=r"(bits.z), "=r"(bits.w)
                    : "l"(from), "l"(policy));
            } else if constexpr (load == Load::streaming) {
                asm volatile("ld.global.L1::no_allocate.L2::256B.v4.u32 {%0, %1, %2, %3}, [%4];"
                             : "=r"(bits.x), "=r"(bits.y), "=r"(bits.z), "=r"(bits.w)
                             : "l"(from));
            } else {
                asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                             : "=r"(bits.x), "=r"(bits.y), "=r"(bits.z), "=r"(bits.w)
                             : "l"(from));
            }
            return __builtin_bit_cast(P, bits);
        } else if constexpr (sizeof(P) == 8) {
            uint2 bits;
            asm volatile("ld.global.v2.u32 {%0, %1}, [%2];"
                         : "=r"(bits.x), "=r"(bits.y)
                         : "l"(from));
            return __builtin_bit_cast(P, bits);
        } else if constexpr (sizeof(P) == 4) {
            unsigned bits;
            asm volatile("ld.global.u32 %0, [%1];" : "=r"(bits) : "l"(from));
            return __builtin_bit_cast(P, bits);
        } else if constexpr (sizeof(P) == 2) {
            return __builtin_bit_cast(P, *reinterpret_cast<const volatile unsigned short*>(from));
        } else {
            return __builtin_bit_cast(P, *reinterpret_cast<const volatile unsigned char*>(from));
        }
    }

    unsigned long long policy = 0;
};

}  // namespace jitune
