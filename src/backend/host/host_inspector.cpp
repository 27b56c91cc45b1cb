// SPDX-License-Identifier: Apache-2.0
#include "backend/host/host_inspector.hpp"

#include "backend/elf_section.hpp"
#include "backend/host/entry_points.hpp"

namespace jitune::internal {
namespace {

class HostInspector final : public KernelInspector {
public:
    // The host is what it is: there are no devices to describe.
    [[nodiscard]] std::vector<std::string> architectures() const override { return {}; }
    [[nodiscard]] std::optional<DeviceInfo> device(
        std::string_view /*architecture*/) const override {
        return std::nullopt;
    }

    [[nodiscard]] std::vector<std::string> options() const override { return {kTellsParameters}; }

    [[nodiscard]] std::optional<KernelResources> resources(
        std::string_view /*log*/, std::string_view /*symbol*/) const override {
        return std::nullopt;
    }

    [[nodiscard]] std::optional<std::vector<std::int64_t>> parameters(
        const Binary& binary, std::string_view symbol) const override {
        const auto section = elf_section(*binary.image, parameter_section(symbol));
        std::uint64_t count = 0;
        if (!section || !read_at(*section, 0, count)) {
            return std::nullopt;
        }
        std::vector<std::int64_t> sizes;
        std::int64_t bytes = 0;
        for (std::uint64_t i = 1; i <= count; ++i) {
            if (!read_at(*section, i * sizeof bytes, bytes)) {
                return std::nullopt;
            }
            sizes.push_back(bytes);
        }
        return sizes;
    }

    [[nodiscard]] std::string flaw_of_texture(const TextureView& /*view*/) const override {
        return {};  // templates of the host have no textures
    }

    [[nodiscard]] std::optional<Occupancy> occupancy(
        const DeviceInfo& /*device*/, const KernelResources& /*resources*/,
        std::int64_t /*threads*/, std::int64_t /*dynamic_bytes*/) const override {
        return std::nullopt;
    }
};

}  // namespace

std::unique_ptr<const KernelInspector> make_host_inspector() {
    return std::make_unique<const HostInspector>();
}

}  // namespace jitune::internal
