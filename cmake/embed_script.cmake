# SPDX-License-Identifier: Apache-2.0
# Run by jitune_embed. Each file becomes an array of bytes, so that no text can break the C++ around it.
set(arrays "")
set(rows "")
set(number 0)
foreach(file IN LISTS FILES)
  file(READ ${file} hex HEX)
  file(SHA256 ${file} sha256)
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${hex}")
  cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${ROOT} OUTPUT_VARIABLE name)
  string(APPEND arrays "const char text_${number}[] = {${bytes}'\\0'};\n")
  string(APPEND rows "    {\"${name}\", {text_${number}, sizeof text_${number} - 1}, \"${sha256}\"},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUTPUT} "#include \"support/embedded.hpp\"

namespace jitune::internal::embedded {
namespace {
${arrays}
const File files[] = {
${rows}};
}  // namespace

extern const std::span<const File> ${VARIABLE};
const std::span<const File> ${VARIABLE}{files};

}  // namespace jitune::internal::embedded
")
