#include "backend/host/host_platform.hpp"

#include <algorithm>

#include "backend/host/host_backend.hpp"
#include "backend/host/host_device.hpp"
#include "backend/host/host_memory.hpp"

namespace jitune {

namespace {

void* at_least(HostMemory& memory, std::size_t bytes, HostMemory::Content content) {
    if (memory.bytes() < bytes) {
        memory = HostMemory(std::max(bytes, 2 * memory.bytes()), content);
    }
    return memory.data();
}

/// Its work memory is one pair of areas for each thread.
class HostSite final : public StreamSite {
public:
    explicit HostSite(Backend& backend) : StreamSite(backend) {}

    Scratch scratch(const ScratchNeed& need) override {
        thread_local HostMemory plain, zeroed;
        return {at_least(plain, need.plain, HostMemory::Content::any),
                at_least(zeroed, need.zeroed, HostMemory::Content::zero)};
    }
    void refuse_capture(const char* /*what*/) const override {}
};

class HostPlatform final : public Platform {
public:
    explicit HostPlatform(const Log& log) : backend_(describe_host(this_host()), log) {}

    [[nodiscard]] std::string_view name() const override { return "host"; }
    [[nodiscard]] int device_count() const override { return 1; }
    [[nodiscard]] std::string missing() const override { return ""; }
    Backend& device(int /*ordinal*/) override { return backend_; }
    StreamSite& site(Stream /*stream*/) override { return site_; }

private:
    HostBackend backend_;
    HostSite site_{backend_};
};

}  // namespace

std::unique_ptr<Platform> make_host_platform(const Log& log) {
    return std::make_unique<HostPlatform>(log);
}

}  // namespace jitune
