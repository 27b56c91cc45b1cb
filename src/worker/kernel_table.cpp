#include "worker/kernel_table.hpp"

#include <array>

#include "jitune/error.hpp"
#include "ops/entropy_kernel.hpp"
#include "ops/kernel_file.hpp"
#include "ops/reduce_kernel.hpp"
#include "ops/stencil_kernel.hpp"

namespace jitune {

std::span<const KernelEntry> kernel_table() {
    static constexpr std::array kTable{
        KernelEntry{"reduce", reduce_kernel_of},
        KernelEntry{"entropy", entropy_kernel_of},
        KernelEntry{"stencil", stencil_kernel_of},
        KernelEntry{"file", kernel_file_of},
    };
    return kTable;
}

Kernel make_kernel(std::span<const KernelEntry> table, std::span<const std::string> spec) {
    for (const KernelEntry& row : table) {
        if (!spec.empty() && row.name == spec.front()) {
            return row.make(spec);
        }
    }
    throw Error(ErrorKind::usage, "a worker has no such kernel: is it of another version?");
}

}  // namespace jitune
