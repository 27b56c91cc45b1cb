// SPDX-License-Identifier: Apache-2.0
#include "cli/formats/t1.hpp"

#include <fmt/format.h>

#include "cli/formats/json_file.hpp"
#include "cli/formats/python_reader.hpp"
#include "jitune/error.hpp"
#include "support/text_file.hpp"

namespace jitune::internal {

T1Template read_t1(const std::filesystem::path& file) {
    const std::string text = read_json_text(file);
    parse_json(text, file.string());  // refuses what is no JSON, and what would take much memory
    constexpr ForeignFormat kFormat{"the T1 tuning problem", "__main__"};
    const Json answer = read_in_python(kFormat, file, text);
    const std::filesystem::path kernel = text_member(answer, "kernel");
    const std::filesystem::path path = "." / file.parent_path() / kernel;
    try {
        return {file.string(), text_member(answer, "header") + read_text_file(path),
                path.parent_path(), list_member(answer, "notes").get<std::vector<std::string>>()};
    } catch (const Json::exception&) {
        refuse_answer(kFormat, file);
    } catch (const Error& error) {
        throw Error(error.kind(),
                    fmt::format("{}: T1 tuning problem: {}", file.string(), error.what()),
                    error.native_code());
    }
}

}  // namespace jitune::internal
