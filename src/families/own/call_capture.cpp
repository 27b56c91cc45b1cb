// SPDX-License-Identifier: Apache-2.0
#include "families/own/call_capture.hpp"

#include <array>
#include <charconv>
#include <cstdlib>
#include <exception>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "backend/launch.hpp"
#include "families/own/npy.hpp"
#include "jitune/error.hpp"
#include "support/text_file.hpp"
#include "template/fill.hpp"
#include "template/toml_reader.hpp"
#include "types/element_names.hpp"

namespace jitune::internal {

namespace {

constexpr std::int64_t kCaptureFormat = 1;

class CaptureReader {
public:
    CaptureReader(const std::filesystem::path& folder, const KernelTemplate& kernel)
        : kernel_(kernel),
          path_((folder / kCaptureFile).string()),
          reader_(path_, read_text_file(path_), 1) {
        call_.folder = std::filesystem::absolute(folder);
    }

    CapturedCall read() {
        const toml::table& root = reader_.root();
        if (root["jitune_capture"].value_or(std::int64_t{0}) != kCaptureFormat) {
            reader_.fail(root, fmt::format("jitune_capture must be {}: the call was captured by "
                                           "another version, or the file is none",
                                           kCaptureFormat));
        }
        call_.kernel = reader_.text(root, "kernel", "capture");
        const FrontMatter& front = kernel_.front_matter();
        if (call_.kernel != front.kernel) {
            reader_.fail(root, fmt::format("the call is one of kernel {}, but {} is kernel {}",
                                           call_.kernel, kernel_.source().name, front.kernel));
        }
        call_.problem.kernel = call_.kernel;
        read_problem(root, front);
        for (const ArgumentSpec& argument : front.arguments) {
            read_argument(root, argument);
        }
        return std::move(call_);
    }

private:
    [[nodiscard]] const toml::table& section(const toml::table& root, const char* name) const {
        const toml::node* node = root.get(name);
        if (node == nullptr) {
            reader_.fail(root, fmt::format("capture needs a table [{}]", name));
        }
        return reader_.table(*node, name);
    }

    void read_problem(const toml::table& root, const FrontMatter& front) {
        const toml::table& sizes = section(root, "sizes");
        for (const std::string& name : front.sizes) {
            const auto size = sizes[name].value<std::int64_t>();
            if (!size) {
                reader_.fail(sizes, fmt::format("the capture has no size \"{}\"", name));
            }
            call_.problem.sizes.push_back(*size);
        }
        const toml::table& types = section(root, "types");
        for (const auto& [name, texts] : front.types) {
            call_.problem.types[name] = reader_.text(types, name, "types");
        }
        kernel_.check(call_.problem);
    }

    void read_argument(const toml::table& root, const ArgumentSpec& argument) {
        if (argument.access == Access::value) {
            call_.values[argument.name] = bits(section(root, "values"), argument.name);
        }
        if (is_read(argument.access)) {
            call_.inputs[argument.name] = file(section(root, "inputs"), argument.name, "inputs");
        }
        if (is_written(argument.access)) {
            call_.outputs[argument.name] = file(section(root, "outputs"), argument.name, "outputs");
        }
    }

    /// The name of a file in the folder, as CaptureWriter writes it.
    [[nodiscard]] std::string file(const toml::table& files, const std::string& name,
                                   const char* where) const {
        const std::string text = reader_.text(files, name, where);
        const auto fill = Fill::parse(text);
        const bool is_file = fill &&
                             (fill->kind == Fill::Kind::file || fill->kind == Fill::Kind::raw) &&
                             std::filesystem::path(fill->file).filename() == fill->file;
        if (!is_file) {
            reader_.fail(files, fmt::format("{} {} is \"{}\", which is neither \"FILE.npy\" nor "
                                            "\"raw FILE\" with a file of the capture's folder",
                                            where, name, text));
        }
        return text;
    }

    [[nodiscard]] std::uint64_t bits(const toml::table& values, const std::string& name) const {
        const std::string text = reader_.text(values, name, "values");
        std::uint64_t number = 0;
        const auto [end, error] =
            std::from_chars(text.data(), text.data() + text.size(), number, 16);
        if (error != std::errc() || end != text.data() + text.size()) {
            reader_.fail(values, fmt::format("value {} must be the bits of the scalar in "
                                             "hexadecimal digits",
                                             name));
        }
        return number;
    }

    const KernelTemplate& kernel_;
    std::string path_;
    TomlReader reader_;
    CapturedCall call_;
};

}  // namespace

CapturedCall read_capture(const std::filesystem::path& folder, const KernelTemplate& kernel) {
    return CaptureReader(folder, kernel).read();
}

CaptureWriter::CaptureWriter(std::filesystem::path folder, const KernelTemplate& kernel,
                             const Problem& problem)
    : folder_(std::move(folder)) {
    std::error_code error;
    std::filesystem::create_directories(folder_, error);
    const bool is_empty = !error && std::filesystem::is_empty(folder_, error);
    if (error || !is_empty) {
        throw Error(ErrorKind::usage,
                    fmt::format("cannot capture into \"{}\": {}", folder_.string(),
                                error ? error.message() : "the folder has files: name a new one"));
    }
    head_ = fmt::format(
        "# One call of {0}, captured by jitune. The files beside it hold the data of that call:\n"
        "# look what is in them before you share them. \"jitune tune FILE --from-capture\" tunes "
        "on\n"
        "# them.\njitune_capture = {1}\nkernel = \"{0}\"\ntemplate = \"{2}\"\n\n[sizes]\n",
        problem.kernel, kCaptureFormat, kernel.hash());
    for (std::size_t i = 0; i < problem.sizes.size(); ++i) {
        head_ += fmt::format("{} = {}\n", kernel.front_matter().sizes[i], problem.sizes[i]);
    }
    head_ += "\n[types]\n";
    for (const auto& [type, name] : problem.types) {
        head_ += fmt::format("{} = \"{}\"\n", type, name);
    }
}

void CaptureWriter::add_value(const std::string& name, ElementType type, std::uint64_t bits) {
    values_ += fmt::format("{} = \"{:x}\"  # {}, its bits\n", name, bits, to_string(type));
}

void CaptureWriter::add_input(const std::string& name, ElementType type,
                              std::span<const std::byte> data) {
    inputs_ += fmt::format("{} = \"{}\"\n", name, write_array("in_" + name, type, data));
}

void CaptureWriter::add_output(const std::string& name, ElementType type,
                               std::span<const std::byte> data) {
    outputs_ += fmt::format("{} = \"{}\"\n", name, write_array("out_" + name, type, data));
}

std::string CaptureWriter::write_array(const std::string& name, ElementType type,
                                       std::span<const std::byte> data) const {
    if (type == ElementType::bfloat16) {
        write_file(folder_ / (name + ".bin"),
                   {{reinterpret_cast<const char*>(data.data()), data.size()}});
        return "raw " + name + ".bin";
    }
    const std::array shape{static_cast<std::int64_t>(data.size() / bytes_of(type))};
    write_npy(folder_ / (name + ".npy"), type, shape, data);
    return name + ".npy";
}

void CaptureWriter::finish() {
    write_file(folder_ / kCaptureFile, {head_, "\n[values]\n", values_, "\n[inputs]\n", inputs_,
                                        "\n[outputs]\n", outputs_});
}

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
