// SPDX-License-Identifier: Apache-2.0
#include "spread/machine_device.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "spread/placed_operation.hpp"

namespace jitune::internal {

namespace {

constexpr std::string_view kFormat = "placement";

/// "A + 2 x B": the host's text and those of the GPUs. Machines with equal classes share
/// placements.
std::string together(const std::string& host, std::span<Device* const> gpus,
                     std::string DeviceInfo::*text) {
    std::string result = host;
    for (std::size_t i = 0; i < gpus.size();) {
        const std::string& first = gpus[i]->info().*text;
        std::size_t end = i;
        while (end < gpus.size() && gpus[end]->info().*text == first) {
            ++end;
        }
        result += fmt::format(" + {} x {}", end - i, first);
        i = end;
    }
    return result;
}

std::int64_t cores_of(const DeviceInfo& host) {
    const auto found = host.attributes.find("cores");
    return found == host.attributes.end() ? 1 : found->second;
}

}  // namespace

MachineDevice::MachineDevice(Machine& machine, Device& host, std::span<Device* const> gpus)
    : HostMemoryDevice(host), machine_(machine) {
    info_.platform = PlatformKind::machine;
    info_.id = to_string(info_.platform);
    info_.name = together(host.info().name, gpus, &DeviceInfo::name);
    info_.driver = gpus.empty() ? host.info().driver : gpus.front()->info().driver;
    info_.device_class =
        "machine " + together(host.info().device_class, gpus, &DeviceInfo::device_class);
    info_.attributes = {{"cores", cores_of(host.info())},
                        {"gpu_count", static_cast<std::int64_t>(gpus.size())}};
}

std::vector<CompileOutcome> MachineDevice::compile(const TemplateSource& /*source*/,
                                                   std::span<const Instance> instances,
                                                   CompileCall& /*call*/) {
    std::vector<CompileOutcome> outcomes;
    for (const Instance& instance : instances) {
        outcomes.emplace_back(
            Binary{std::string(kFormat),
                   std::make_shared<const std::string>(instance.expressions.front()),
                   {"place"}});
    }
    return outcomes;
}

std::shared_ptr<const Program> MachineDevice::load(const Binary& binary) {
    const auto refuse = [](const std::string& what) {
        throw Error(ErrorKind::device, "load a placement: " + what);
    };
    if (binary.format != kFormat || binary.image == nullptr) {
        refuse(fmt::format("its format is \"{}\", not \"{}\"", binary.format, kFormat));
    }
    const std::string& expression = *binary.image;
    for (const Family& family : machine_.engine().families()) {
        if (family.placed != nullptr &&
            expression.starts_with(fmt::format("jitune::place_{}<", family.name))) {
            try {
                PlacedValues values(expression);
                return family.placed->load(machine_, values);
            } catch (const Error& error) {  // a value that no call can have: the row is damaged
                refuse(error.what());
            }
        }
    }
    refuse(fmt::format("no family of kernels has the placement \"{:.80}\"", expression));
    return nullptr;
}

}  // namespace jitune::internal
