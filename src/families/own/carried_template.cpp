// SPDX-License-Identifier: Apache-2.0
#include "families/own/carried_template.hpp"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "families/own/kernel_file.hpp"
#include "jitune/error.hpp"
#include "support/temp_dir.hpp"
#include "support/text_file.hpp"
#include "support/utf8.hpp"

namespace jitune::internal {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_to_carry(const std::string& name, const std::string& flaw) {
    throw Error(ErrorKind::usage,
                fmt::format("{} cannot be carried to other machines: {}", name, flaw));
}

void refuse_files(const KernelTemplate& kernel) {
    const std::string& name = kernel.source().name;
    if (!kernel.source().include_folders.empty()) {
        refuse_to_carry(name, "it has include_folders: put their headers beside the template");
    }
    for (const ArgumentSpec& argument : kernel.front_matter().arguments) {
        if (!argument.fill.file.empty()) {
            refuse_to_carry(name, fmt::format("its array {} is filled from the file {}: give it "
                                              "another fill, as random, sorted or iota",
                                              argument.name, argument.fill.file));
        }
    }
    const auto& reference = kernel.front_matter().reference;
    if (reference && reference->kind == ReferenceSpec::Kind::files) {
        refuse_to_carry(name, fmt::format("its [reference] reads {}: use entry, host or default",
                                          reference->files.begin()->second));
    }
}

void refuse_other_than_utf8(const std::string& name, const std::string& text) {
    if (const std::size_t valid = valid_utf8_bytes(text); valid < text.size()) {
        refuse_to_carry(name,
                        fmt::format("byte {} of it is not UTF-8: save it as UTF-8", valid + 1));
    }
}

/// The files stay as long as the kernel, whose workers read them.
struct KernelOfCopies {
    TempDir folder;
    std::optional<Kernel> kernel = {};
};

}  // namespace

CarriedTemplate carried_template(const fs::path& path, const std::vector<std::string>& options) {
    CarriedTemplate carried{path.string(), read_text_file(path), {}, options};
    const fs::path folder = path.has_parent_path() ? path.parent_path() : ".";
    const TemplateFile file = template_from_text(carried.name, carried.text, folder, options);
    refuse_files(file.kernel);
    for (const auto* const headers : {&file.kernel.source().headers, &file.host.headers}) {
        for (const auto& [name, text] : *headers) {
            if (is_header_file(folder / name)) {  // else it is one of jitune's own
                carried.headers[name] = text;
            }
        }
    }
    refuse_other_than_utf8("the template's name", carried.name);
    refuse_other_than_utf8(carried.name, carried.text);
    for (const auto& [name, text] : carried.headers) {
        refuse_other_than_utf8(name, text);
    }
    return carried;
}

std::shared_ptr<const Kernel> kernel_of(const CarriedTemplate& carried) {
    auto copies = std::make_shared<KernelOfCopies>();
    for (const auto& [name, text] : carried.headers) {
        static_cast<void>(copies->folder.write(name, text));
    }
    copies->kernel =
        kernel_from_text(carried.name, carried.text, copies->folder.path(), carried.options);
    const Kernel* const kernel = &*copies->kernel;
    return {std::move(copies), kernel};
}

}  // namespace jitune::internal
