# SPDX-License-Identifier: Apache-2.0
# write_kernels writes the sources of the host's kernels and, into host_options, how the host backend compiles at run
# time, but for a CPU of this kind. Each source becomes a shared object, and host_images.cpp takes its bytes.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(simd_bytes 32)
  set(cpu x86-64-v3)  # what runs_here() asks for
else()
  set(simd_bytes 16)
  set(cpu)
endif()
set(kernels reduce reduce_rows reduce_columns reduce_segments)
list(TRANSFORM kernels REPLACE "(.+)" "${folder}/\\1/\\1.cpp" OUTPUT_VARIABLE texts)
list(TRANSFORM kernels REPLACE "(.+)" "${folder}/\\1.so" OUTPUT_VARIABLE objects)
add_executable(jitune_write_kernels write_kernels.cpp)
target_link_libraries(jitune_write_kernels PRIVATE jitune_default_instances)
add_custom_command(OUTPUT ${folder}/host_images.cpp ${folder}/host_options ${texts}
  COMMAND jitune_write_kernels ${folder} ${simd_bytes} ${cpu}
  DEPENDS jitune_write_kernels VERBATIM)
foreach(kernel text object IN ZIP_LISTS kernels texts objects)
  add_custom_command(OUTPUT ${object}
    COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${CMAKE_CXX_COMPILER} @${folder}/host_options -c ${text}
            -o ${folder}/${kernel}.o
    COMMAND ${CMAKE_CXX_COMPILER} @${folder}/host_options -s ${folder}/${kernel}.o -o ${object}
    DEPENDS ${text} ${folder}/host_options VERBATIM)
endforeach()
set_source_files_properties(${folder}/host_images.cpp PROPERTIES OBJECT_DEPENDS "${objects}")
list(APPEND sources ${folder}/host_images.cpp)
list(APPEND lists host_images)
