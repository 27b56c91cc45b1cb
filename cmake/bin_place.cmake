# SPDX-License-Identifier: Apache-2.0
# Where apps that link the archive find the installed command. An archive knows no place of its own, so that of the
# command is written into it, in as many bytes for every folder: an installation below another prefix changes them.
set(JITUNE_BIN_LENGTH 512)

# jitune_bin_place(<result> <folder>): the text in the archive: a mark, then the folder, filled up with slashes.
function(jitune_bin_place result folder)
  string(LENGTH "${folder}" length)
  if(length GREATER JITUNE_BIN_LENGTH)
    set(folder "")
    set(length 0)
  endif()
  math(EXPR missing "${JITUNE_BIN_LENGTH} - ${length}")
  string(REPEAT "/" ${missing} slashes)
  set(${result} "jitune-bin:${folder}${slashes}" PARENT_SCOPE)
endfunction()

# jitune_set_bin_place(<archive> <folder>): of an archive that is installed.
function(jitune_set_bin_place archive folder)
  # Packages are put together in a folder of CPack's, and keep the configured one. What sed reads otherwise is left, too.
  if(folder MATCHES "/_CPack_Packages/|[|&\\\\]")
    return()
  endif()
  jitune_bin_place(place "${folder}")
  execute_process(COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C
    sed -i "s|jitune-bin:.\\{${JITUNE_BIN_LENGTH}\\}|${place}|" "${archive}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()
