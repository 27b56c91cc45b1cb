# SPDX-License-Identifier: Apache-2.0
# Shared by all targets: language level, warnings, sanitizers, include roots.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES AND PROJECT_IS_TOP_LEVEL)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

add_library(jitune_settings INTERFACE)
target_compile_features(jitune_settings INTERFACE cxx_std_20)
target_include_directories(jitune_settings INTERFACE
  ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR}/src/include)
if(JITUNE_DEVELOPER)
  target_compile_options(jitune_settings INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Werror)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(jitune_settings INTERFACE -Wshadow=local)
  elseif(NOT CMAKE_UNITY_BUILD)  # else it names what another source declares
    target_compile_options(jitune_settings INTERFACE -Wshadow)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # GCC 12 sees overlapping copies in every "text" + std::string that it inlines (GCC bug 105651).
    target_compile_options(jitune_settings INTERFACE -Wno-restrict)
  endif()
endif()
if(JITUNE_SANITIZE)
  target_compile_options(jitune_settings INTERFACE
    -fsanitize=${JITUNE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(jitune_settings INTERFACE -fsanitize=${JITUNE_SANITIZE})
endif()
if(JITUNE_FUZZ)  # -fsanitize=fuzzer-no-link without a call at each comparison: the unit tests run in the same build
  target_compile_options(jitune_settings INTERFACE -fsanitize-coverage=inline-8bit-counters,pc-table)
endif()

set(JITUNE_LAYER_PROPERTIES
  POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)

# jitune_layer(<name> FOLDERS <folders> SOURCES <files> USES <layers and libraries>): one room of the library: the sources
# of folders, and files. Without both, the sources of this folder. A layer sees only the layers it names, so an arrow
# that points the wrong way does not link.
function(jitune_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 layer "" "" "FOLDERS;SOURCES;USES")
  if(NOT layer_SOURCES AND NOT layer_FOLDERS)
    set(layer_FOLDERS .)
  endif()
  foreach(folder ${layer_FOLDERS})
    file(GLOB found CONFIGURE_DEPENDS ${folder}/*.cpp)
    list(APPEND layer_SOURCES ${found})
  endforeach()
  add_library(jitune_${name} STATIC ${layer_SOURCES})
  set_target_properties(jitune_${name} PROPERTIES ${JITUNE_LAYER_PROPERTIES})
  if(JITUNE_PRECOMPILE)
    target_precompile_headers(jitune_${name} REUSE_FROM jitune_precompiled_layer)
  endif()
  target_link_libraries(jitune_${name} PUBLIC jitune_settings ${layer_USES})
  set_property(GLOBAL APPEND PROPERTY JITUNE_LAYERS jitune_${name})
endfunction()
