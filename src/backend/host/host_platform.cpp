#include "backend/host/host_platform.hpp"

#include "backend/host/host_backend.hpp"
#include "backend/host/host_device.hpp"

namespace jitune {

namespace {

class HostPlatform final : public Platform {
public:
    explicit HostPlatform(const Log& log) : backend_(describe_host(this_host()), log) {}

    [[nodiscard]] std::string_view name() const override { return "host"; }
    [[nodiscard]] int device_count() const override { return 1; }
    [[nodiscard]] std::string missing() const override { return ""; }
    Backend& device(int /*ordinal*/) override { return backend_; }
    [[nodiscard]] int current_device() const override { return 0; }

private:
    HostBackend backend_;
};

}  // namespace

std::unique_ptr<Platform> make_host_platform(const Log& log) {
    return std::make_unique<HostPlatform>(log);
}

}  // namespace jitune
