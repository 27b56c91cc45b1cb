// SPDX-License-Identifier: Apache-2.0
// Runs while jitune is built, and compiles kernels for GPUs that come with it.
//
//     compile_kernels NAME COMPUTE_CAPABILITY SHARE SHARES
//
// NAME.cubins gets the template defaults of the reductions of whole arrays, for a SHARE (from 0) of
// SHARES of the combinations of types and operations; NAME.cpp defines cuda_images_<CC>_<SHARE>.
// Without NVRTC, or with one that does not compile for it, says so and leaves the list empty: first
// calls then compile.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "backend/platform_table.hpp"
#include "families/compiled/default_instances.hpp"
#include "families/reduce/reduce_kernel.hpp"
#include "support/text_file.hpp"

namespace jitune::internal {

namespace {

/// The most instances of one image: a program of many instances takes less compile time for each,
/// but a device loads all of it for one instance.
constexpr std::size_t kBatch = 16;

/// A large device of the architecture. Defaults follow rules over its attributes; those of a device
/// with fewer multiprocessors are among the same, at smaller sizes.
DeviceInfo device_of(int compute_capability) {
    const bool is_small =
        compute_capability == 86 || compute_capability == 89 || compute_capability == 120;
    DeviceInfo device;
    device.platform = PlatformKind::cuda;
    device.attributes = {{"compute_capability", compute_capability},
                         {"sm_count", 132},
                         {"warp_size", 32},
                         {"max_threads_per_block", 1024},
                         {"max_threads_per_sm", compute_capability == 75 ? 1024
                                                : is_small               ? 1536
                                                                         : 2048},
                         {"shared_bytes_per_block", 64 << 10},
                         {"l2_bytes", 50 << 20}};
    return device;
}

std::string quoted(const std::vector<std::string>& texts) {
    std::string lines;
    for (const std::string& text : texts) {
        lines += text + "\\n";
    }
    return '"' + lines + '"';
}

/// The images, and the rows and entries that tell of them.
struct Images {
    std::string bytes;
    std::string entries;
    std::string rows;
    std::size_t count = 0;
};

void add(Images& images, int compute_capability, std::span<const Instance> batch,
         const std::vector<CompileOutcome>& outcomes) {
    std::string entries;
    std::shared_ptr<const std::string> image;
    for (std::size_t i = 0; i < batch.size(); ++i) {
        if (const auto* failure = std::get_if<CompileFailure>(&outcomes[i])) {
            throw Error(ErrorKind::compile,
                        fmt::format("{}: {}", batch[i].expressions.front(), failure->log));
        }
        const auto& binary = std::get<Binary>(outcomes[i]);
        if (binary.format != "cubin") {
            throw Error(ErrorKind::unavailable,
                        fmt::format("this NVRTC does not compile for compute capability {}.{}",
                                    compute_capability / 10, compute_capability % 10));
        }
        image = binary.image;
        entries += fmt::format("    {{{},\n     {}}},\n", quoted(batch[i].expressions),
                               quoted(binary.symbols));
    }
    const std::string name = fmt::format("entries_{}", images.bytes.size());
    images.entries += fmt::format("constexpr CompiledEntry {}[] = {{\n{}}};\n", name, entries);
    images.rows += fmt::format("    {{{}, {{bytes + {}, {}}}, {}}},\n", compute_capability,
                               images.bytes.size(), image->size(), name);
    images.bytes += *image;
    ++images.count;
}

Images compile(int compute_capability, Share share) {
    const DeviceInfo device = device_of(compute_capability);
    const CompileFor compile = platform_entry(PlatformKind::cuda).make_compiler({}).compile;
    const TemplateSource& source =
        reduce_kernel(ReduceKind::all, PlatformKind::cuda).kernel_template.source();
    const std::vector<Instance> instances = default_instances(ReduceKind::all, device, share);
    Images images;
    for (std::size_t i = 0; i < instances.size(); i += kBatch) {
        const auto batch = std::span(instances).subspan(i, std::min(kBatch, instances.size() - i));
        add(images, compute_capability, batch, compile(device, source, batch));
    }
    return images;
}

/// {0}: the name of the list, {1}: of the files, {2}: entries, {3}: the number of rows, {4}: rows.
constexpr const char* kSource = R"(#include <array>

#include "families/compiled/compiled_kernels.hpp"

asm(".pushsection .rodata\n"
    ".balign 64\n"
    ".local jitune_{0}\n"
    "jitune_{0}:\n"
    ".incbin \"{1}.cubins\"\n"
    ".popsection\n");
extern "C" __attribute__((visibility("hidden"))) const char jitune_{0}[];

namespace jitune::internal {{
namespace {{
[[maybe_unused]] constexpr const char* bytes = jitune_{0};
{2}
const std::array<CompiledImage, {3}> images{{{{
{4}}}}};
}}  // namespace

extern const std::span<const CompiledImage> {0};
const std::span<const CompiledImage> {0}{{images}};

}}  // namespace jitune::internal
)";

void write_images(const std::string& name, int compute_capability, Share share) {
    Images images;
    try {
        images = compile(compute_capability, share);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::unavailable) {
            throw;
        }
        fmt::print("no kernels are compiled ahead for compute capability {}.{}: {}\n",
                   compute_capability / 10, compute_capability % 10, error.what());
    }
    const std::string list = fmt::format("cuda_images_{}_{}", compute_capability, share.first);
    write_file(name + ".cubins", {images.bytes});
    write_file(name + ".cpp",
               {fmt::format(kSource, list, name, images.entries, images.count, images.rows)});
}

}  // namespace

}  // namespace jitune::internal

int main(int argc, char** argv) {
    using namespace jitune::internal;
    const auto number = [&](int place) {
        return argc == 5 ? std::strtoul(argv[place], nullptr, 10) : 0;
    };
    const Share share{number(3), number(4)};
    if (number(2) < 50 || share.first >= share.count) {
        fmt::print(stderr, "usage: compile_kernels NAME COMPUTE_CAPABILITY(90) SHARE SHARES\n");
        return 2;
    }
    try {
        write_images(argv[1], static_cast<int>(number(2)), share);
    } catch (const std::exception& error) {
        fmt::print(stderr, "compile_kernels: {}\n", error.what());
        return 1;
    }
    return 0;
}
