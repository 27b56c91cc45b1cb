// When a grid that is launched programmatically begins, and when the one after it may.
#pragma once

namespace jitune {

/// What the blocks of the grid after this one wait for before they start.
enum class Release {
    early,  ///< all blocks of this one have started; they then take places as these fall free, so
            ///< that multiprocessors get unequal numbers of blocks
    late,   ///< all blocks of this one end
};

#if __CUDA_ARCH__ >= 900
/// Makes the compiler forget where the pointer comes from.
template <class T>
__device__ __forceinline__ void forget_origin(const T*& pointer) {
    asm volatile("" : "+l"(pointer)::"memory");
}
#endif

/// To be called once, before any read or write of what earlier work on the stream may still be
/// using (PTX ISA, griddepcontrol). A kernel that calls it has no `__restrict__` on its parameters
/// or on members: the compiler might read such memory before, or as if it were constant during the
/// kernel's life (ld.global.nc), which begins before that work has ended. If the compiler finds out
/// by itself that nothing is written through a pointer, as through that of offsets, give the
/// pointer here.
template <Release release, class... Read>
__device__ __forceinline__ void begin_grid([[maybe_unused]] const Read*&... read) {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
    if constexpr (release == Release::early) {
        asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    }
    (forget_origin(read), ...);
#endif
}

}  // namespace jitune
