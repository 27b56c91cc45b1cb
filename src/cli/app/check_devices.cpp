// SPDX-License-Identifier: Apache-2.0
#include "cli/app/check_devices.hpp"

#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "backend/platform_table.hpp"
#include "cli/families/sizes.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

// Turing to Blackwell, without boards that are made for one purpose.
constexpr std::string_view kUsualArchitectures = "sm_75,sm_80,sm_86,sm_89,sm_90,sm_100,sm_120";

/// For precompiled headers; without them, checks take longer.
std::unique_ptr<const TempDir> folder_for_headers(const Log& log) {
    try {
        return std::make_unique<const TempDir>();
    } catch (const Error& error) {
        log.info("no headers are kept precompiled: {}", error.what());
        return nullptr;
    }
}

}  // namespace

CheckDevices::CheckDevices(PlatformKind platform, const Options& options)
    : platform_(platform),
      log_(options.log_level, options.log_sink),
      headers_(folder_for_headers(log_)),
      pool_(
          platform, [] { return std::filesystem::path("/proc/self/exe"); }, log_,
          headers_ == nullptr ? std::filesystem::path() : headers_->path()) {
    if (const MakeInspector make = platform_entry(platform).make_inspector) {
        inspector_ = make();
    }
}

std::vector<CheckDevice> CheckDevices::of(const std::string& architectures) {
    if (runs_on_cpu(platform_)) {
        return {host(architectures)};
    }
    const MakeCompiler make = platform_entry(platform_).make_compiler;
    if (inspector_ == nullptr || make == nullptr) {
        throw Error(
            ErrorKind::unavailable,
            fmt::format("this build of jitune has no compiler for {}", to_string(platform_)));
    }
    const CompileFor here = make({}).compile;
    std::vector<CheckDevice> devices;
    for (const std::string& name :
         parse_list("--arch", architectures.empty() ? kUsualArchitectures : architectures)) {
        const auto info = inspector_->device(name);
        if (!info) {
            throw Error(ErrorKind::usage,
                        fmt::format("--arch: unknown architecture \"{}\"; use one or more of "
                                    "{}, separated by commas",
                                    name, fmt::join(inspector_->architectures(), ", ")));
        }
        devices.push_back({*info,
                           [this, here](const DeviceInfo& device, const TemplateSource& source,
                                        std::span<const Instance> instances) {
                               CompileCall call;
                               auto outcomes = pool_.compile(device, source, instances, call);
                               return outcomes ? *std::move(outcomes)
                                               : here(device, source, instances);
                           },
                           inspector_});
    }
    return devices;
}

CheckDevice CheckDevices::host(const std::string& architectures) {
    if (!architectures.empty() && architectures != to_string(PlatformKind::host)) {
        throw Error(
            ErrorKind::usage,
            fmt::format("--arch: the template is for the host, not for \"{}\"", architectures));
    }
    if (host_ == nullptr) {
        host_ = make_platform(PlatformKind::host, log_);
    }
    Device& device = host_->device(0);
    return {device.info(),
            [&device](const DeviceInfo&, const TemplateSource& source,
                      std::span<const Instance> instances) {
                return device.compile(source, instances);
            },
            platform_entry(PlatformKind::host).make_inspector()};
}

}  // namespace jitune::internal
