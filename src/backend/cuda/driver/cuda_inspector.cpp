// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/driver/cuda_inspector.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <map>
#include <string>

#include <cuda_occupancy.h>
#include <fmt/format.h>

#include "backend/cuda/launch/cuda_textures.hpp"
#include "backend/elf_section.hpp"
#include "support/settings.hpp"

namespace jitune::internal {
namespace {

// Attributes of a section .nv.info.<symbol>, which NVIDIA does not document: cuobjdump --dump-elf
// shows them by name. Each has 4 bytes. If its form is kSized, as many bytes as `value` says
// follow.
struct InfoAttribute {
    std::uint8_t form, name;
    std::uint16_t value;
};
constexpr std::uint8_t kSized = 4;             // EIFMT_SVAL
constexpr std::uint8_t kParameter = 0x17;      // EIATTR_KPARAM_INFO
constexpr std::uint8_t kLongParameter = 0x45;  // EIATTR_KPARAM_INFO_V2

/// The bytes that follow an attribute kParameter or kLongParameter.
struct InfoParameter {
    std::uint32_t index;
    std::uint16_t ordinal, offset;
    std::uint32_t size;  ///< of kParameter the upper 14 bits
};
constexpr int kSizeShift = 18;

bool is_digit(char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// Returns the number that stands before `words` in `text`, or 0 if no number does.
std::int64_t number_before(std::string_view text, std::string_view words) {
    const std::size_t at = text.find(words);
    if (at == std::string_view::npos) {
        return 0;
    }
    std::size_t begin = at;
    while (begin > 0 && is_digit(text[begin - 1])) {
        --begin;
    }
    std::int64_t number = 0;
    std::from_chars(text.data() + begin, text.data() + at, number);
    return number;
}

/// The lines about one entry: from its "Compiling entry function '<symbol>'" to the next one.
std::string_view part_of(std::string_view log, std::string_view symbol) {
    constexpr std::string_view kBegin = "Compiling entry function '";
    for (std::size_t at = log.find(kBegin); at != std::string_view::npos;
         at = log.find(kBegin, at + 1)) {
        const std::string_view rest = log.substr(at + kBegin.size());
        if (rest.starts_with(symbol) && rest.substr(symbol.size()).starts_with('\'')) {
            return rest.substr(0, rest.find(kBegin));
        }
    }
    return {};
}

/// The limits of a compute capability (CUDA C++ Programming Guide, appendix on compute
/// capabilities), and a product that has it. The product's multiprocessors, L2 cache and memory are
/// approximate and were not read from a device; only constraints use them.
struct Gpu {
    int capability;
    const char* product;
    int threads_per_sm, blocks_per_sm, shared_kib_per_sm, shared_kib_per_block;
    int sm_count, l2_mib, bus_bits, memory_mhz;
};
constexpr std::array kGpus{
    Gpu{75, "T4", 1024, 16, 64, 64, 40, 4, 256, 5001},
    Gpu{80, "A100", 2048, 32, 164, 163, 108, 40, 5120, 1215},
    Gpu{86, "A10", 1536, 16, 100, 99, 72, 6, 384, 6251},
    Gpu{87, "Jetson AGX Orin", 1536, 16, 164, 163, 16, 4, 256, 3199},
    Gpu{89, "L40S", 1536, 24, 100, 99, 142, 96, 384, 9001},
    Gpu{90, "H100 SXM", 2048, 32, 228, 227, 132, 50, 5120, 2619},
    Gpu{100, "B200", 2048, 32, 228, 227, 148, 126, 8192, 3996},
    Gpu{103, "B300", 2048, 32, 228, 227, 148, 126, 8192, 3996},
    Gpu{120, "RTX PRO 6000", 1536, 24, 100, 99, 188, 128, 512, 14001},
    Gpu{121, "GB10", 1536, 24, 100, 99, 48, 24, 256, 4266},
};

constexpr int kRegisters = 64 << 10;
constexpr int kWarp = 32;
constexpr int kMostThreads = 1024;

std::string architecture_of(const Gpu& gpu) {
    return fmt::format("sm_{}", gpu.capability);
}

const Gpu* gpu_of(std::int64_t capability) {
    const auto* const found = std::find_if(
        kGpus.begin(), kGpus.end(), [&](const Gpu& gpu) { return gpu.capability == capability; });
    return found == kGpus.end() ? nullptr : found;
}

DeviceInfo describe_gpu(const Gpu& gpu) {
    DeviceInfo info;
    info.platform = PlatformKind::cuda;
    info.id = architecture_of(gpu);
    info.name = gpu.product;
    info.device_class = fmt::format("{} {}", to_string(info.platform), info.id);
    info.attributes = {{"sm_count", gpu.sm_count},
                       {"warp_size", kWarp},
                       {"max_threads_per_block", kMostThreads},
                       {"max_threads_per_sm", gpu.threads_per_sm},
                       {"max_blocks_per_sm", gpu.blocks_per_sm},
                       {"shared_bytes_per_block", gpu.shared_kib_per_block << 10},
                       {"registers_per_sm", kRegisters},
                       {"l2_bytes", gpu.l2_mib << 20},
                       {"compute_capability", gpu.capability},
                       {"memory_bus_bits", gpu.bus_bits},
                       {"memory_clock_khz", gpu.memory_mhz * 1000}};
    return info;
}

cudaOccDeviceProp properties_of(const Gpu& gpu) {
    cudaOccDeviceProp properties;
    properties.computeMajor = gpu.capability / 10;
    properties.computeMinor = gpu.capability % 10;
    properties.maxThreadsPerBlock = kMostThreads;
    properties.maxThreadsPerMultiprocessor = gpu.threads_per_sm;
    properties.regsPerBlock = kRegisters;
    properties.regsPerMultiprocessor = kRegisters;
    properties.warpSize = kWarp;
    properties.sharedMemPerBlock = 48 << 10;
    properties.sharedMemPerMultiprocessor = static_cast<std::size_t>(gpu.shared_kib_per_sm) << 10;
    properties.sharedMemPerBlockOptin = static_cast<std::size_t>(gpu.shared_kib_per_block) << 10;
    properties.reservedSharedMemPerBlock = gpu.capability >= 80 ? 1 << 10 : 0;
    properties.numSms = gpu.sm_count;
    return properties;
}

std::string limit_of(unsigned factors) {
    constexpr std::array<std::pair<unsigned, const char*>, 5> kLimits{{
        {OCC_LIMIT_REGISTERS, "registers"},
        {OCC_LIMIT_SHARED_MEMORY, "shared memory"},
        {OCC_LIMIT_WARPS, "warps"},
        {OCC_LIMIT_BLOCKS, "blocks"},
        {OCC_LIMIT_BARRIERS, "barriers"},
    }};
    std::string text;
    for (const auto& [factor, name] : kLimits) {
        if ((factors & factor) != 0) {
            text += (text.empty() ? "" : ", ") + std::string(name);
        }
    }
    return text;
}

class CudaInspector final : public KernelInspector {
public:
    [[nodiscard]] std::vector<std::string> architectures() const override {
        std::vector<std::string> names;
        for (const Gpu& gpu : kGpus) {
            names.push_back(architecture_of(gpu));
        }
        return names;
    }

    [[nodiscard]] std::optional<DeviceInfo> device(std::string_view architecture) const override {
        for (const Gpu& gpu : kGpus) {
            if (architecture == architecture_of(gpu)) {
                return describe_gpu(gpu);
            }
        }
        return std::nullopt;
    }

    /// The class has what differs within a compute capability: see DriverDevice.
    [[nodiscard]] std::optional<DeviceInfo> device_of_class(
        const std::string& device_class) const override {
        const auto capability = number_of(device_class, "cc");
        const Gpu* const gpu = capability ? gpu_of(*capability) : nullptr;
        if (gpu == nullptr || !device_class.starts_with(to_string(PlatformKind::cuda))) {
            return std::nullopt;
        }
        DeviceInfo info = describe_gpu(*gpu);
        info.device_class = device_class;
        for (const auto& [setting, attribute] :
             {std::pair("sm", "sm_count"), std::pair("l2", "l2_bytes"),
              std::pair("bus", "memory_bus_bits"), std::pair("memclk", "memory_clock_khz"),
              std::pair("smem", "shared_bytes_per_block")}) {
            const auto value = number_of(device_class, setting);
            if (!value) {
                return std::nullopt;
            }
            info.attributes[attribute] = *value;
        }
        return info;
    }

    [[nodiscard]] std::vector<std::string> options() const override {
        return {"--ptxas-options=-v"};
    }

    /// Reads the lines "Function properties for <symbol>", then the bytes of stack and spills, then
    /// "Used <n> registers".
    [[nodiscard]] std::optional<KernelResources> resources(std::string_view log,
                                                           std::string_view symbol) const override {
        const std::string_view part = part_of(log, symbol);
        const std::size_t used = part.find("Used ");
        if (used == std::string_view::npos) {
            return std::nullopt;
        }
        // Functions that are not inlined have properties of their own, behind those of the entry.
        const std::string_view properties =
            part.substr(0, part.find("Function properties",
                                     1 + std::min(part.find("Function properties"), part.size())));
        const std::string_view line = part.substr(used, part.find('\n', used) - used);
        KernelResources result;
        result.registers = number_before(line, " registers");
        result.shared_bytes = number_before(line, " bytes smem");
        result.barriers = std::max<std::int64_t>(1, number_before(line, " barriers"));
        result.stack_bytes = std::max(number_before(properties, " bytes stack frame"),
                                      number_before(line, " bytes cumulative stack size"));
        result.spill_store_bytes = number_before(properties, " bytes spill stores");
        result.spill_load_bytes = number_before(properties, " bytes spill loads");
        return result;
    }

    /// Reads the section .nv.info.<symbol>.
    [[nodiscard]] std::optional<std::vector<std::int64_t>> parameters(
        const Binary& binary, std::string_view symbol) const override {
        const auto info = elf_section(*binary.image, ".nv.info." + std::string(symbol));
        if (!info || info->empty()) {
            return std::nullopt;
        }
        std::map<std::uint16_t, std::int64_t> sizes;
        InfoAttribute attribute{};
        for (std::uint64_t at = 0; read_at(*info, at, attribute);) {
            at += sizeof attribute;
            if (attribute.form != kSized) {
                continue;
            }
            InfoParameter parameter{};
            if (attribute.name == kParameter || attribute.name == kLongParameter) {
                if (!read_at(*info, at, parameter)) {
                    return std::nullopt;
                }
                sizes[parameter.ordinal] =
                    attribute.name == kParameter ? parameter.size >> kSizeShift : parameter.size;
            }
            at += attribute.value;
        }
        std::vector<std::int64_t> result;
        for (const auto& [ordinal, size] : sizes) {
            if (ordinal != result.size()) {
                return std::nullopt;
            }
            result.push_back(size);
        }
        return result;
    }

    [[nodiscard]] std::string flaw_of_texture(const TextureView& view) const override {
        const std::string flaw = internal::flaw_of_texture(view, kKnownTextureLimits);
        return flaw.empty() ? "" : fmt::format("{}: {}", extent_text(view), flaw);
    }

    [[nodiscard]] std::optional<Occupancy> occupancy(const DeviceInfo& device,
                                                     const KernelResources& resources,
                                                     std::int64_t threads,
                                                     std::int64_t dynamic_bytes) const override {
        const Gpu* const gpu = gpu_of(device.attributes.at("compute_capability"));
        if (gpu == nullptr || threads < 1 || threads > kMostThreads || dynamic_bytes < 0) {
            return std::nullopt;
        }
        const cudaOccDeviceProp properties = properties_of(*gpu);
        cudaOccFuncAttributes kernel{};
        kernel.maxThreadsPerBlock = kMostThreads;
        kernel.numRegs = static_cast<int>(resources.registers);
        kernel.sharedSizeBytes = static_cast<std::size_t>(resources.shared_bytes);
        kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
        kernel.maxDynamicSharedSizeBytes = static_cast<std::size_t>(dynamic_bytes);
        kernel.numBlockBarriers = static_cast<int>(resources.barriers);
        const cudaOccDeviceState state{};
        cudaOccResult found{};
        if (cudaOccMaxActiveBlocksPerMultiprocessor(
                &found, &properties, &kernel, &state, static_cast<int>(threads),
                static_cast<std::size_t>(dynamic_bytes)) != CUDA_OCC_SUCCESS) {
            return std::nullopt;
        }
        const std::int64_t warps = (threads + kWarp - 1) / kWarp;
        return Occupancy{found.activeBlocksPerMultiprocessor,
                         static_cast<double>(found.activeBlocksPerMultiprocessor * warps * kWarp) /
                             gpu->threads_per_sm,
                         limit_of(found.limitingFactors)};
    }
};

}  // namespace

std::unique_ptr<const KernelInspector> make_cuda_inspector() {
    return std::make_unique<const CudaInspector>();
}

}  // namespace jitune::internal
