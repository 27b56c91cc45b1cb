// When a grid that is launched programmatically begins, and when the one after it may.
#pragma once

namespace jitune {

/// What the blocks of the grid after this one wait for before they start.
enum class Release {
    early,  ///< all blocks of this one have started; they then take places as these fall free, so
            ///< that multiprocessors get unequal numbers of blocks
    late,   ///< all blocks of this one end
};

/// To be called once, before any read or write of what earlier work on the stream may still be
/// using (PTX ISA, griddepcontrol). A kernel that calls it takes no `const T* __restrict__`: the
/// compiler might read such memory before.
template <Release release>
__device__ __forceinline__ void begin_grid() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
    if constexpr (release == Release::early) {
        asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    }
#endif
}

}  // namespace jitune
