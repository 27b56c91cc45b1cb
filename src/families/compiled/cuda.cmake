# SPDX-License-Identifier: Apache-2.0
# compile_kernels compiles the kernels of each architecture in JITUNE_CUDA_ARCHITECTURES, in shares that ninja makes
# side by side: 670 kernels in about 40 s of one core, 9 MB.
set(architectures ${JITUNE_CUDA_ARCHITECTURES})
if(architectures STREQUAL native)
  find_program(JITUNE_NVIDIA_SMI nvidia-smi)
  set(found "")
  if(JITUNE_NVIDIA_SMI)
    execute_process(COMMAND ${JITUNE_NVIDIA_SMI} --query-gpu=compute_cap --format=csv,noheader
      OUTPUT_VARIABLE found ERROR_QUIET)
  endif()
  string(REGEX MATCHALL "[0-9]+\\.[0-9]" architectures "${found}")
  list(TRANSFORM architectures REPLACE "\\." "")
  list(REMOVE_DUPLICATES architectures)
  message(STATUS "jitune: kernels are compiled ahead for these GPUs (JITUNE_CUDA_ARCHITECTURES): ${architectures}")
endif()
if(architectures)
  add_executable(jitune_compile_kernels compile_kernels.cpp)
  target_link_libraries(jitune_compile_kernels PRIVATE jitune_default_instances)
endif()
foreach(architecture IN LISTS architectures)
  if(NOT architecture MATCHES "^[0-9]+$")
    message(FATAL_ERROR "JITUNE_CUDA_ARCHITECTURES: ${architecture} is no architecture: give numbers as 75;90, or native")
  endif()
  foreach(share RANGE 7)
    set(list cuda_images_${architecture}_${share})
    add_custom_command(OUTPUT ${folder}/${list}.cpp ${folder}/${list}.cubins
      COMMAND jitune_compile_kernels ${folder}/${list} ${architecture} ${share} 8
      DEPENDS jitune_compile_kernels VERBATIM)
    set_source_files_properties(${folder}/${list}.cpp PROPERTIES OBJECT_DEPENDS ${folder}/${list}.cubins)
    list(APPEND sources ${folder}/${list}.cpp)
    list(APPEND lists ${list})
  endforeach()
endforeach()
