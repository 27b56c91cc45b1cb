// SPDX-License-Identifier: Apache-2.0
#include "backend/host/host_platform.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "backend/host/host_device.hpp"
#include "backend/host/host_facts.hpp"
#include "backend/host/host_memory.hpp"
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
    Device& device(int /*ordinal*/) override { return here().device; }
    StreamSite& site(Stream /*stream*/) override { return here().site; }

private:
    struct Here {
        Here(const HostFacts& facts, const Log& log) : device(describe_host(facts), log) {
            if (const std::string missing = missing_facts(facts); !missing.empty()) {
                log.warning("{}", missing);
            }
        }
        HostDevice device;
        HostSite site{device};
    };

    Here& here() {
        std::call_once(once_, [this] { here_ = std::make_unique<Here>(this_host(), log_); });
        return *here_;
    }

    Log log_;
    std::once_flag once_;
    std::unique_ptr<Here> here_;
};

}  // namespace

std::unique_ptr<Platform> make_host_platform(const Log& log) {
    return std::make_unique<HostPlatform>(log);
}

}  // namespace jitune::internal
