// SPDX-License-Identifier: Apache-2.0
#include "backend/host/host_platform.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "backend/elf_section.hpp"
#include "backend/host/host_compiler.hpp"
#include "backend/host/host_device.hpp"
#include "backend/host/host_facts.hpp"
#include "backend/host/host_memory.hpp"
#include "backend/host/host_program.hpp"
#include "support/thread_own.hpp"

namespace jitune::internal {
namespace {

/// Work memory of one kind. An area that has become too small is kept: each is at least twice as
/// large as the one before.
class WorkArea {
public:
    explicit WorkArea(HostMemory::Content content) : content_(content) {}

    void* at_least(std::size_t bytes) {
        if (bytes == 0) {
            return nullptr;
        }
        if (areas_.empty() || areas_.back().bytes() < bytes) {
            const std::size_t before = areas_.empty() ? 0 : areas_.back().bytes();
            areas_.emplace_back(std::max(bytes, 2 * before), content_);
        }
        return areas_.back().data();
    }

private:
    HostMemory::Content content_;
    std::vector<HostMemory> areas_;
};

struct WorkMemory {
    WorkArea plain{HostMemory::Content::any};
    WorkArea zeroed{HostMemory::Content::zero};
};

/// Its work memory is each thread's own.
class HostSite final : public StreamSite {
public:
    explicit HostSite(Device& device) : StreamSite(device) {}

    Scratch scratch(const ScratchNeed& need) override {
        WorkMemory& memory = ThreadOwn<WorkMemory>::here();
        return {memory.plain.at_least(need.plain), memory.zeroed.at_least(need.zeroed)};
    }
    void refuse_capture(const char* /*what*/) const override {}
};

/// The host is described when it is first needed: that takes a tenth of the first call of an app
/// that only uses a GPU.
class HostPlatform final : public Platform {
public:
    explicit HostPlatform(const Log& log) : log_(log) {}

    [[nodiscard]] PlatformKind kind() const override { return PlatformKind::host; }
    [[nodiscard]] int device_count() const override { return 1; }
    [[nodiscard]] std::string missing() const override { return ""; }
    Device& device(int /*ordinal*/) override { return *here().device; }
    StreamSite& site(Stream /*stream*/) override { return here().site; }

private:
    struct Here {
        Here(const HostFacts& facts, const Log& log)
            : device(make_host_device(describe_host(facts), log)) {
            if (const std::string missing = missing_facts(facts); !missing.empty()) {
                log.warning("{}", missing);
            }
        }
        std::unique_ptr<Device> device;
        HostSite site{*device};
    };

    Here& here() {
        std::call_once(once_, [this] { here_ = std::make_unique<Here>(this_host(), log_); });
        return *here_;
    }

    Log log_;
    std::once_flag once_;
    std::unique_ptr<Here> here_;
};

/// The host is what it is: it has no architectures.
class HostInspector final : public KernelInspector {
public:
    [[nodiscard]] std::optional<DeviceInfo> device_of_class(
        const std::string& device_class) const override {
        return host_of_class(device_class);
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
};

}  // namespace

std::unique_ptr<Platform> make_host_platform(const Log& log) {
    return std::make_unique<HostPlatform>(log);
}

std::unique_ptr<const KernelInspector> make_host_inspector() {
    return std::make_unique<const HostInspector>();
}

CompileRecipe make_host_recipe(const DeviceInfo& /*device*/, const TemplateSource& source,
                               const Instance& instance) {
    const HostCompiler compiler;
    TemplateSource placed = source;
    placed.include_folders.insert(placed.include_folders.begin(), "include");
    CompileRecipe recipe{.file = "kernel.cpp",
                         .text = translation_unit(source, std::span(&instance, 1)),
                         .binary = "kernel.so",
                         .command = {},
                         .notes = {},
                         .profiler = {"perf", "record"}};
    recipe.command = compiler.command(placed, instance.options, recipe.file, recipe.binary);
    recipe.notes = {
        compiler.version(),
        fmt::format("{} of {} takes the arguments as void** and their number", entry_symbol(0, 0),
                    recipe.binary),
    };
    return recipe;
}

}  // namespace jitune::internal
