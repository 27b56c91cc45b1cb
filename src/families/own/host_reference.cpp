// SPDX-License-Identifier: Apache-2.0
#include "families/own/host_reference.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "backend/platform_table.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

std::string_view trimmed(std::string_view line) {
    const auto begin = line.find_first_not_of(" \t");
    const auto end = line.find_last_not_of(" \t\r");
    return begin == std::string_view::npos ? "" : line.substr(begin, end - begin + 1);
}

std::unique_ptr<Platform> make_host() {
    if (auto host = make_platform(PlatformKind::host, Log(LogLevel::off))) {
        return host;
    }
    throw Error(ErrorKind::unavailable, "this build of jitune has no host backend");
}

}  // namespace

SplitText split_host_text(const std::string& text) {
    SplitText split;
    bool any = false;
    int depth = 0;  // nested #if lines within a host section; 0 outside of a section
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
        const std::string_view line = std::string_view(text).substr(at, end - at);
        const std::string_view word = trimmed(line.substr(0, line.find('\n')));
        at = end;
        const bool opens = depth == 0 && word == "#ifdef JITUNE_HOST";
        any = any || opens;
        const bool closes = depth == 1 && word.starts_with("#endif");
        if (depth > 0 || opens) {
            depth += word.starts_with("#if") ? 1 : word.starts_with("#endif") ? -1 : 0;
        }
        const bool is_host = depth > 0 && !opens;
        const bool is_device = depth == 0 && !closes;
        split.host += is_host ? line : "\n";
        split.device += is_device ? line : "\n";
    }
    if (!any) {
        split.host.clear();
    }
    return split;
}

HostReference::HostReference(TemplateSource source)
    : source_(std::move(source)), host_(make_host()) {}

void HostReference::call(const Instance& instance, std::span<const std::uint64_t> cells) {
    Device& device = host_->device(0);
    const std::string function = fmt::format("the host reference of {}", source_.name);
    auto outcome = binaries_.find("", device.info().device_class, instance);
    if (!outcome) {
        outcome = binaries_.compile(device, source_, "", std::span(&instance, 1)).front();
    }
    if (const auto* failure = std::get_if<CompileFailure>(&*outcome)) {
        throw Error(ErrorKind::compile, fmt::format("compiling {}: {}", function, failure->log));
    }
    Launch launch{};
    launch.step_count = 1;
    launch.steps[0].argument_count = static_cast<std::uint8_t>(cells.size());
    for (std::size_t i = 0; i < cells.size(); ++i) {
        launch.cells[i] = cells[i];
        launch.steps[0].arguments[i] = static_cast<std::uint8_t>(i);
    }
    try {
        device.load(std::get<Binary>(*outcome))->launch(launch, nullptr);
    } catch (const Error& error) {
        throw Error(error.kind(), fmt::format("calling {}: {}", function, error.what()),
                    error.native_code());
    }
}

}  // namespace jitune::internal
