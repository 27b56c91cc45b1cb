# SPDX-License-Identifier: Apache-2.0
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
set(JITUNE_FMT fmt::fmt)
if(SKBUILD)  # a wheel brings what it can
  set(JITUNE_FMT fmt::fmt-header-only)
  find_library(SQLite3_LIBRARY libsqlite3.a)  # else the system's library
  add_link_options(-static-libstdc++ -static-libgcc)
endif()
find_package(SQLite3 3.37 REQUIRED)  # STRICT tables
if(NOT TARGET SQLite3::SQLite3)  # its name before CMake 4.3
  add_library(SQLite3::SQLite3 ALIAS SQLite::SQLite3)
endif()
# Used as headers alone, so that an app links none of them.
find_path(JITUNE_TOMLPLUSPLUS_INCLUDE toml++/toml.h REQUIRED)
find_path(JITUNE_XXHASH_INCLUDE xxhash.h REQUIRED)
find_path(JITUNE_NLOHMANN_INCLUDE nlohmann/json.hpp REQUIRED)

# CUDA is loaded at run time; only its headers are needed, and without them the host backend is built
# alone.
set(JITUNE_WITH_CUDA OFF)
set(JITUNE_CUDA_HEADERS none)  # their version
if(JITUNE_CUDA)
  find_path(JITUNE_CUDA_INCLUDE nvrtc.h
    HINTS ENV CUDA_PATH ENV CUDA_HOME PATHS /usr/local/cuda PATH_SUFFIXES include)
  if(JITUNE_CUDA_INCLUDE AND EXISTS ${JITUNE_CUDA_INCLUDE}/cuda.h)
    set(JITUNE_WITH_CUDA ON)
    file(STRINGS ${JITUNE_CUDA_INCLUDE}/cuda.h number REGEX "^#define CUDA_VERSION [0-9]+")
    string(REGEX MATCH "[0-9]+" number "${number}")  # 12080 is 12.8
    math(EXPR major "${number} / 1000")
    math(EXPR minor "${number} % 1000 / 10")
    set(JITUNE_CUDA_HEADERS ${major}.${minor})
  else()
    message(STATUS "jitune: no CUDA headers (cuda.h, nvrtc.h) found: building the host backend alone. "
                   "Set CUDA_PATH to a toolkit to build the cuda backend.")
  endif()
endif()
