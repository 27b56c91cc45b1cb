# SPDX-License-Identifier: Apache-2.0
# jitune_commit_source(<output.cpp>): a source file that defines jitune::internal::kCommit. It is made again when HEAD
# moves, and only where this folder is a clone of its own: a copy inside another repository has "unknown".
set(JITUNE_COMMIT_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/commit_script.cmake)
find_package(Git QUIET)

function(jitune_commit_source output)
  set(head "")
  if(GIT_FOUND)
    execute_process(COMMAND ${GIT_EXECUTABLE} rev-parse --show-toplevel --path-format=absolute --git-path logs/HEAD
      WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE answer OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    string(REPLACE "\n" ";" answer "${answer}")
    list(LENGTH answer lines)
    if(lines EQUAL 2)
      list(GET answer 0 clone)
      list(GET answer 1 log)
      file(REAL_PATH ${PROJECT_SOURCE_DIR} source)
      if(clone STREQUAL source AND EXISTS ${log})
        set(head ${log})
      endif()
    endif()
  endif()
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DSOURCE=${PROJECT_SOURCE_DIR} "-DHEAD=${head}"
            "-DGIT=${GIT_EXECUTABLE}" -P ${JITUNE_COMMIT_SCRIPT}
    DEPENDS ${head} ${JITUNE_COMMIT_SCRIPT}
    VERBATIM)
  set_source_files_properties(${output} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)  # as in embed.cmake
endfunction()
