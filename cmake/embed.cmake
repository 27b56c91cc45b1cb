# SPDX-License-Identifier: Apache-2.0
# jitune_embed(<output.cpp> <variable> <files>): a source file that defines
# jitune::embedded::<variable>, a table of the files' names and texts, made again when one changes.
set(JITUNE_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/embed_script.cmake)

function(jitune_embed output variable)
  set(files "")
  foreach(file IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    list(APPEND files ${file})
  endforeach()
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DVARIABLE=${variable} -DROOT=${CMAKE_CURRENT_SOURCE_DIR}
            "-DFILES=${files}" -P ${JITUNE_EMBED_SCRIPT}
    DEPENDS ${files} ${JITUNE_EMBED_SCRIPT}
    VERBATIM)
  # clang-tidy reads merged sources, and nothing has made this one then
  set_source_files_properties(${output} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
