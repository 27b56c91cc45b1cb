// SPDX-License-Identifier: Apache-2.0
#include "families/own/captured_call.hpp"

#include <array>
#include <charconv>
#include <system_error>
#include <utility>

#include <fmt/format.h>

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

}  // namespace jitune::internal
