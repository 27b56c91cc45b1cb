// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cli/app/common_options.hpp"
#include "cli/formats/table.hpp"
#include "jitune/session.hpp"

namespace jitune::internal::devices_command {

namespace {

Json to_json(const std::vector<DeviceDescription>& devices) {
    Json rows = Json::array();
    for (const DeviceDescription& device : devices) {
        rows.push_back({{"id", device.id},
                        {"usable", device.missing.empty()},
                        {"name", device.name},
                        {"driver", device.driver},
                        {"device_class", device.device_class},
                        {"missing", device.missing}});
    }
    return {{"devices", rows}};
}

std::string to_text(const std::vector<DeviceDescription>& devices, std::size_t width) {
    std::vector<Table::Cells> usable;
    std::string missing;
    for (const DeviceDescription& device : devices) {
        if (device.missing.empty()) {
            usable.push_back({device.id, device.name, device.driver, device.device_class});
        } else {
            missing += fmt::format("{} cannot be used: {}\n", device.id, device.missing);
        }
    }
    return Table::text({{"device"}, {"name"}, {"driver"}, {"class"}}, usable, width) + missing;
}

int run(const CommonArguments& arguments) {
    Options options = arguments.options();
    options.database.clear();
    Session session(options);
    const auto devices = session.devices();
    print_either(arguments.json, to_json(devices), to_text(devices, arguments.table_width()));
    const bool any = std::any_of(devices.begin(), devices.end(),
                                 [](const auto& device) { return device.missing.empty(); });
    return any ? kExitOk : kExitUnavailable;
}

}  // namespace

Invocation invocation() {
    auto arguments = std::make_shared<CommonArguments>();
    return {{arguments->log_option(), arguments->verbose_option(), arguments->json_option()},
            [arguments] { return run(*arguments); }};
}

}  // namespace jitune::internal::devices_command
