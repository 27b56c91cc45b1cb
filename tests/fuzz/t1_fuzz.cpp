// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <nlohmann/json.hpp>

#include "cli/formats/t1.hpp"
#include "fuzz/fuzz_target.hpp"
#include "support/temp_dir.hpp"
#include "template/front_matter.hpp"

using namespace jitune::internal;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const TempDir folder;
    static const auto kernel = folder.write("kernel.cu", "extern \"C\" __global__ void f();\n");
    answers_or_refuses([&] {
        ParsedJson document = parse_json(std::string(FuzzInput(data, size).rest()), "input.json");
        if (find_member(document, "KernelSpecification") != nullptr &&
            document["KernelSpecification"].is_object()) {  // the one kernel that there is
            // Beside the document: the folder's own name differs from run to run.
            document["KernelSpecification"]["KernelFile"] = kernel.filename().string();
        }
        const T1Template made = t1_template(document, folder.path() / "input.json");
        parse_front_matter({made.name, made.text, {}});
    });
    return 0;
}
