// SPDX-License-Identifier: Apache-2.0
#include "families/own/call_capture.hpp"

#include <cstdlib>
#include <exception>
#include <utility>

#include <fmt/format.h>

#include "backend/launch.hpp"
#include "families/own/captured_call.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

using Bytes = std::vector<std::byte>;

std::string text_variable(const char* name) {
    const char* const value = ::secure_getenv(name);
    return value == nullptr ? "" : value;
}

std::size_t bytes_in(const KernelParameter& parameter) {
    return parameter.is_value
               ? 0
               : static_cast<std::size_t>(parameter.count) * bytes_of(parameter.type);
}

/// Why a call cannot be captured; empty if it can.
std::string flaw_of_call(std::span<const KernelParameter> parameters, std::size_t most_bytes) {
    std::size_t bytes = 0;
    for (const KernelParameter& parameter : parameters) {
        if (parameter.count < 0) {
            return fmt::format("the sizes do not say how long argument {} is", parameter.name);
        }
        bytes += bytes_in(parameter);
    }
    return bytes <= most_bytes ? ""
                               : fmt::format("its arrays have {} bytes, more than the limit of {}",
                                             bytes, most_bytes);
}

Bytes download(const KernelParameter& parameter, void* array, const StreamSite& site,
               Stream stream) {
    Bytes data(bytes_in(parameter));
    site.device().read_back(data, array, stream);
    return data;
}

}  // namespace

void CallCapture::ask_environment(const std::string& kernel) {
    constexpr std::size_t kUsualLimit = std::size_t{1} << 30;
    if (text_variable("JITUNE_CAPTURE") != kernel) {
        return;
    }
    const std::string folder = text_variable("JITUNE_CAPTURE_FOLDER");
    const std::lock_guard lock(mutex_);
    request_ = {folder.empty() ? kernel + ".capture" : folder, kUsualLimit, false};
    is_asked_ = true;
}

void CallCapture::ask(std::filesystem::path folder, std::size_t most_bytes) {
    const std::lock_guard lock(mutex_);
    request_ = {std::move(folder), most_bytes, true};
    is_asked_ = true;
}

void CallCapture::fail(const Request& request, const std::string& reason) const {
    const std::string text =
        fmt::format("a call is not captured into \"{}\": {}", request.folder.string(), reason);
    if (request.is_of_app) {
        throw Error(ErrorKind::usage, text);
    }
    log_.warning("{}", text);
}

void CallCapture::launch(const KernelTemplate& kernel, const Problem& problem,
                         std::span<const KernelParameter> parameters, void* const* cells,
                         const StreamSite& site, Stream stream,
                         const std::function<void()>& launch) {
    Request request;
    {
        const std::lock_guard lock(mutex_);
        if (!is_asked_.exchange(false)) {
            return launch();
        }
        request = request_;
    }
    const FrontMatter& front = kernel.front_matter();
    std::unique_ptr<CaptureWriter> writer;
    const auto try_to = [&](const auto& act) {
        try {
            act();
        } catch (const std::exception& error) {  // also if memory is short
            writer.reset();
            fail(request, error.what());
        }
    };
    try_to([&] {
        site.refuse_capture("a call whose data is captured");
        if (const std::string flaw = flaw_of_call(parameters, request.most_bytes); !flaw.empty()) {
            throw Error(ErrorKind::usage, flaw);
        }
        writer = std::make_unique<CaptureWriter>(request.folder, kernel, problem);
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            const KernelParameter& one = parameters[i];
            if (one.is_value) {
                writer->add_value(one.name, one.type, bits_of(cells[i]));
            } else if (is_read(front.find_argument(one.name)->access)) {
                writer->add_input(one.name, one.type, download(one, cells[i], site, stream));
            }
        }
    });
    launch();
    if (writer == nullptr) {
        return;
    }
    try_to([&] {
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            if (parameters[i].is_written) {
                writer->add_output(parameters[i].name, parameters[i].type,
                                   download(parameters[i], cells[i], site, stream));
            }
        }
        writer->finish();
        log_.info("captured a call of {} into \"{}\"", problem.kernel, request.folder.string());
    });
}

}  // namespace jitune::internal
