// SPDX-License-Identifier: Apache-2.0
#include "cli/tune/recorded_results.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/formats/json_file.hpp"
#include "cli/formats/t4.hpp"
#include "cli/tune/kernel_tuner_cache.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

ParsedJson recorded_document(const std::string& text, const std::string& name) {
    JsonLimits limits;
    limits.table = kTableOfKernelTuner;
    try {
        return parse_json(text, name, limits);
    } catch (const Error& complaint) {
        const std::string closed = closed_kernel_tuner_cache(text);
        try {
            return parse_json(closed, name, limits);
        } catch (const Error&) {
            throw complaint;
        }
    }
}

}  // namespace

RecordedSpace parse_recorded(const std::string& text, const std::string& name) {
    const ParsedJson document = recorded_document(text, name);
    try {
        return is_kernel_tuner_cache(document) ? parse_kernel_tuner_cache(document)
                                               : parse_t4(document);
    } catch (const Error& error) {
        throw Error(error.kind(), fmt::format("{}: {}", name, error.what()));
    }
}

RecordedSpace read_recorded(const std::filesystem::path& path) {
    return parse_recorded(read_json_text(path), path.string());
}

}  // namespace jitune::internal
