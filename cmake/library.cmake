# SPDX-License-Identifier: Apache-2.0
# The library apps link: all layers in one archive or shared object.
get_property(layers GLOBAL PROPERTY JITUNE_LAYERS)
set(objects "")
foreach(layer IN LISTS layers)
  list(APPEND objects $<TARGET_OBJECTS:${layer}>)
endforeach()

configure_file(${CMAKE_CURRENT_LIST_DIR}/jitune.map.in ${PROJECT_BINARY_DIR}/jitune.map @ONLY)

# jitune_library(<name> [SHARED|STATIC])
function(jitune_library name)
  add_library(${name} ${ARGN} ${objects})
  set_target_properties(${name} PROPERTIES VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}  # as install.cmake: SameMinorVersion
    LINKER_LANGUAGE CXX
    ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
  get_target_property(type ${name} TYPE)
  if(type STREQUAL SHARED_LIBRARY)
    # Never unloaded by dlclose: threads that sleep and exit handlers have their code here.
    target_link_options(${name} PRIVATE LINKER:--version-script=${PROJECT_BINARY_DIR}/jitune.map,-z,nodelete)
    set_target_properties(${name} PROPERTIES LINK_DEPENDS ${PROJECT_BINARY_DIR}/jitune.map)
  endif()
  target_compile_features(${name} PUBLIC cxx_std_20)
  target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src/include>)
  target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:jitune_settings>
    ${JITUNE_FMT} SQLite3::SQLite3 Threads::Threads ${CMAKE_DL_LIBS})
endfunction()

jitune_library(jitune)
add_library(jitune::jitune ALIAS jitune)
