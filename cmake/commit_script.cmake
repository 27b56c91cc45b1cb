# SPDX-License-Identifier: Apache-2.0
# Run by jitune_commit_source.
set(commit "")
if(HEAD)
  execute_process(COMMAND ${GIT} rev-parse --short HEAD WORKING_DIRECTORY ${SOURCE}
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT commit)
  set(commit unknown)
endif()
file(WRITE ${OUTPUT} "namespace jitune::internal {

extern const char* const kCommit;
const char* const kCommit = \"${commit}\";

}  // namespace jitune::internal
")
