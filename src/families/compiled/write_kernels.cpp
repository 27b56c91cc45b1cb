// SPDX-License-Identifier: Apache-2.0
// Runs while jitune is built, and writes the sources of the host's kernels that come compiled with
// it.
//
//     write_kernels FOLDER SIMD_BYTES [CPU]
//
// For each shape of reductions FOLDER gets <kernel>.cpp, a shared object's source with the template
// defaults of all types and operations, in a folder of that name with its headers;
// host_options, the compiler's options, as in -march=CPU; and host_images.cpp, which defines
// host_images and takes the objects from <kernel>.so. A file that would not change is left alone.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "backend/host/host_compiler.hpp"
#include "backend/host/host_program.hpp"
#include "families/compiled/default_instances.hpp"
#include "families/reduce/reduce_kernel.hpp"
#include "support/text_file.hpp"

namespace jitune::internal {

namespace {

using Path = std::filesystem::path;

void write(const Path& file, const std::string& text) {
    if (read_if_there(file) != text) {
        std::filesystem::create_directories(file.parent_path());
        write_file(file, {text});
    }
}

/// Writes the source of the kernel's image; returns what defines its entries.
std::string write_kernel(const Path& folder, ReduceKind kind, const DeviceInfo& device) {
    const KernelTemplate& kernel = reduce_kernel(kind, PlatformKind::host).kernel_template;
    const std::string& name = kernel.front_matter().kernel;
    const std::vector<Instance> instances = default_instances(kind, device);
    for (const auto& [header, text] : kernel.source().headers) {
        write(folder / name / header, text);
    }
    write(folder / name / (name + ".cpp"), translation_unit(kernel.source(), instances));
    std::string rows;
    for (std::size_t i = 0; i < instances.size(); ++i) {
        rows += fmt::format("    {{\"{}\\n\", \"{}\\n\"}},\n", instances[i].expressions.front(),
                            entry_symbol(i, 0));
    }
    return fmt::format("constexpr CompiledEntry {}_entries[] = {{\n{}}};\n", name, rows);
}

constexpr const char* kImages = R"(#include "families/compiled/compiled_kernels.hpp"

{symbols}
namespace jitune::internal {{
namespace {{
{entries}
const CompiledImage images[] = {{
{rows}}};
}}  // namespace

extern const std::span<const CompiledImage> host_images;
const std::span<const CompiledImage> host_images{{images}};

}}  // namespace jitune::internal
)";

/// {0}: the kernel, {1}: the folder.
constexpr const char* kSymbols = R"(
asm(".pushsection .rodata\n"
    ".balign 16\n"
    ".local jitune_{0}_image\n"
    "jitune_{0}_image:\n"
    ".incbin \"{1}/{0}.so\"\n"
    ".local jitune_{0}_image_end\n"
    "jitune_{0}_image_end:\n"
    ".popsection\n");
extern "C" __attribute__((visibility("hidden"))) const char jitune_{0}_image[];
extern "C" __attribute__((visibility("hidden"))) const char jitune_{0}_image_end[];
)";

void write_all(const Path& folder, const DeviceInfo& device, const std::string& cpu) {
    write(folder / "host_options", fmt::format("{}\n", fmt::join(host_options(cpu), "\n")));
    std::string symbols;
    std::string entries;
    std::string rows;
    for (const ReduceKind kind :
         {ReduceKind::all, ReduceKind::rows, ReduceKind::columns, ReduceKind::segments}) {
        const std::string& name =
            reduce_kernel(kind, PlatformKind::host).kernel_template.front_matter().kernel;
        entries += write_kernel(folder, kind, device);
        symbols += fmt::format(kSymbols, name, folder.string());
        rows += fmt::format("    {{0, {{jitune_{0}_image, jitune_{0}_image_end}}, {0}_entries}},\n",
                            name);
    }
    write(folder / "host_images.cpp",
          fmt::format(kImages, fmt::arg("symbols", symbols), fmt::arg("entries", entries),
                      fmt::arg("rows", rows)));
}

}  // namespace

}  // namespace jitune::internal

int main(int argc, char** argv) {
    using namespace jitune::internal;
    const bool has_cpu = argc == 4;
    const long simd_bytes = argc == 3 || has_cpu ? std::strtol(argv[2], nullptr, 10) : 0;
    if (simd_bytes != 16 && simd_bytes != 32 && simd_bytes != 64) {
        fmt::print(stderr, "usage: write_kernels FOLDER SIMD_BYTES(16, 32 or 64) [CPU]\n");
        return 2;
    }
    DeviceInfo device;
    device.platform = PlatformKind::host;
    device.attributes = {{"cores", 1}, {"cache_bytes", 1 << 20}, {"simd_bytes", simd_bytes}};
    write_all(argv[1], device, has_cpu ? argv[3] : "");
    return 0;
}
