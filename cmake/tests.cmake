# SPDX-License-Identifier: Apache-2.0
# Test programs: one per room, registered test by test with CTest, so that `ctest -R CallMemo` selects one.
include(GoogleTest)

# A test has the label of the first pattern that its path matches, else `unit`.
#   unit     needs no GPU and little time; runs with sanitizers
#   long     computes for so long that only optimized code does it in reasonable time; runs as shipped
#   host     tunes for the CPU, with the host's compiler, or runs the finished command; runs as shipped
#   kernels  tests code that NVRTC or the host's compiler makes, which sanitizers do not see; runs as shipped
#   gpu      needs a GPU, and skips itself without one; runs as shipped
#   timing   depends on the machine's clock, which other work disturbs; runs alone, after the others, as shipped
set(JITUNE_TEST_LABELS unit long host kernels gpu timing CACHE STRING "Labels of the tests to build")
set(JITUNE_LONG_TESTS "/(reduce_cuda_fault|reduce_fault|reduce_workload|step_table|tuner_noise)_test")
set(JITUNE_GPU_TESTS "_gpu_test")
set(JITUNE_TIMING_TESTS "_timing_test")
set(JITUNE_KERNELS_TESTS "_compile_test|/isolation_test|/zoo_test|/emulated_[a-z]+_test|/reduce_host_(kernel|shapes)_test|/stencil_steps_test")
string(CONCAT JITUNE_HOST_TESTS "_host_test|/cli/cli(_arguments|_check|_database|_entropy|_frozen|_merge|_reduce|_report|_rules|_stats|_stencil|_tune|_worklist)?_test|/launch_rule_test"
  "|/reduce_host_custom_test|/own/(in_place_kernel|tuned_kernel|template_workload)_test|/spread/(machine|placed_[a-z]+)_test")
# Tests that need CUDA's headers.
string(CONCAT JITUNE_CUDA_TESTS "_gpu_test|_cuda_|_compile_test|/backend/cuda/|/conformance/|/stencil_steps_test|/reduce_pinned_test"
  "|/spread/(nccl|reduce_shards|shards)_test")

# jitune_test_sources(<variable> <label> <rooms>): the tests with a label in folders of tests/.
function(jitune_test_sources variable label)
  set(found "")
  foreach(room IN LISTS ARGN)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${room}/*_test.cpp)
    foreach(source IN LISTS sources)
      set(its unit)
      if(source MATCHES "${JITUNE_GPU_TESTS}")
        set(its gpu)
      elseif(source MATCHES "${JITUNE_TIMING_TESTS}")
        set(its timing)
      elseif(source MATCHES "${JITUNE_KERNELS_TESTS}")
        set(its kernels)
      elseif(source MATCHES "${JITUNE_LONG_TESTS}")
        set(its long)
      elseif(source MATCHES "${JITUNE_HOST_TESTS}")
        set(its host)
      endif()
      if(its STREQUAL label AND (JITUNE_WITH_CUDA OR NOT source MATCHES "${JITUNE_CUDA_TESTS}"))
        list(APPEND found ${source})
      endif()
    endforeach()
  endforeach()
  set(${variable} ${found} PARENT_SCOPE)
endfunction()

# jitune_suites_of(<variable> <sources>): the names of the test suites that files define.
function(jitune_suites_of variable)
  set(suites "")
  foreach(source IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
    file(STRINGS ${source} tests REGEX "^(TYPED_)?TEST(_F|_P)?\\(")
    foreach(test IN LISTS tests)
      string(REGEX REPLACE "^[A-Z_]+\\( *([A-Za-z0-9_]+),.*" "\\1" suite "${test}")
      list(APPEND suites ${suite})
    endforeach()
  endforeach()
  list(REMOVE_DUPLICATES suites)
  set(${variable} ${suites} PARENT_SCOPE)
endfunction()

# jitune_tests(<name> [SEPARATE] ROOMS <folders of tests/> USES <layers> [LABEL <label>] [SOURCES <more>] [DEFINES <macros>]
#              [TIMEOUT <seconds>] [COST <of a test>] [ENVIRONMENT <name>=<value>] [WHOLE <suites>]):
# the program <name>_test with the tests of some rooms that have the label (unit, if none is named), if that label is
# built. CTest runs the suites in WHOLE (`Name`, or `Name*` for several) as one test each, since their tests share a
# costly set-up. So it does all suites of `gpu` and, with sanitizers, of all labels: such a process starts slowly.
# SEPARATE: a unity build does not merge the files, since those of several rooms use the same names.
function(jitune_tests name)
  cmake_parse_arguments(PARSE_ARGV 1 test "SEPARATE" "LABEL;TIMEOUT;COST;ENVIRONMENT" "ROOMS;USES;SOURCES;DEFINES;WHOLE")
  if(NOT test_LABEL)
    set(test_LABEL unit)
  endif()
  jitune_test_sources(sources ${test_LABEL} ${test_ROOMS})
  if(NOT test_LABEL IN_LIST JITUNE_TEST_LABELS OR NOT sources)
    return()
  endif()
  set(program ${name}_test)
  add_executable(${program} ${sources} ${test_SOURCES})
  target_include_directories(${program} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_compile_definitions(${program} PRIVATE ${test_DEFINES})
  target_link_libraries(${program} PRIVATE ${test_USES} jitune_settings GTest::gtest_main jitune_test_settings)
  if(test_SEPARATE)
    set_target_properties(${program} PROPERTIES UNITY_BUILD OFF)
  endif()
  if(test_LABEL STREQUAL long)
    target_compile_options(${program} PRIVATE -O1)
  else()  # to optimize these tests would take longer than to run them; the library stays as it is
    target_compile_options(${program} PRIVATE -O0 -U_FORTIFY_SOURCE)
    if(JITUNE_PRECOMPILE)
      target_precompile_headers(${program} REUSE_FROM precompiled_test)
    endif()
  endif()
  jitune_register_tests(${program} "${sources};${test_SOURCES}")
endfunction()

# The second half of jitune_tests, whose variables it reads.
function(jitune_register_tests program sources)
  if(NOT test_TIMEOUT)
    set(test_TIMEOUT 120)
  endif()
  if(JITUNE_SANITIZE)  # several times as slow
    math(EXPR test_TIMEOUT "3 * ${test_TIMEOUT}")
  endif()
  set(properties LABELS ${test_LABEL} TIMEOUT ${test_TIMEOUT})
  if(test_LABEL STREQUAL host)
    list(APPEND test_ENVIRONMENT JITUNE_CXX=${CMAKE_CURRENT_BINARY_DIR}/cached_cxx)
  endif()
  if(test_LABEL STREQUAL timing)
    list(APPEND properties RUN_SERIAL ON)
  endif()
  foreach(more COST ENVIRONMENT)
    if(test_${more})
      list(APPEND properties ${more} ${test_${more}})
    endif()
  endforeach()
  set(all_whole OFF)
  if(test_LABEL STREQUAL gpu OR JITUNE_SANITIZE)
    set(all_whole ON)
    jitune_suites_of(test_WHOLE ${sources})
  endif()
  set(others "")
  foreach(suite IN LISTS test_WHOLE)
    set(filter "${suite}.*:${suite}/*:*/${suite}.*")
    if(suite MATCHES "\\*$")
      set(filter "${suite}")
      string(REPLACE "*" "" suite "${suite}")
    endif()
    string(APPEND others ":${filter}")
    add_test(NAME ${suite} COMMAND ${program} --gtest_filter=${filter})
    set_tests_properties(${suite} PROPERTIES ${properties})
  endforeach()
  if(NOT all_whole)
    string(REGEX REPLACE "^:" "-" others "${others}")
    gtest_discover_tests(${program} TEST_FILTER "${others}" PROPERTIES ${properties} DISCOVERY_TIMEOUT 60)
  endif()
endfunction()
