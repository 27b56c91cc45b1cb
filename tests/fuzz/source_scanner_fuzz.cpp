// SPDX-License-Identifier: Apache-2.0
#include "support/source_scanner.hpp"

#include "fuzz/fuzz_target.hpp"

using namespace jitune::internal;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(FuzzInput(data, size).rest());
    for (const IncludeDirective& directive : include_directives(text)) {
        promise(directive.text.starts_with('#'), "a directive begins with #");
        promise(directive.text.find_first_of("\r\n") == std::string::npos, "it is one line");
        promise(directive.text.find(directive.name) != std::string::npos, "it has its name");
    }
    const std::string mark = "#include <jitune_mark.h>\n";
    promise(included_names(mark + text).at(0) == "jitune_mark.h", "the first line is found");
    return 0;
}
