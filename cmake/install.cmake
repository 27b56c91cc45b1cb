# SPDX-License-Identifier: Apache-2.0
# `cmake --install` and find_package(jitune). The archive holds every layer;
# jituneConfig.cmake finds the libraries that it needs.
include(CMakePackageConfigHelpers)

set(JITUNE_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/jitune)
configure_package_config_file(cmake/jituneConfig.cmake.in ${PROJECT_BINARY_DIR}/jituneConfig.cmake
  INSTALL_DESTINATION ${JITUNE_PACKAGE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/jituneConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)

# For programs without CMake: `cc app.c $(pkg-config --cflags --libs jitune)`. A static jitune brings what it needs.
set(jitune_static_libs "")
if(NOT BUILD_SHARED_LIBS)
  set(jitune_static_libs " -lfmt -lsqlite3 -lstdc++ -lm -lpthread -ldl")
endif()
# Paths as seen from the file, which may be installed below another prefix than the configured one.
file(RELATIVE_PATH prefix_from_pc ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
file(RELATIVE_PATH lib_from_prefix ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_LIBDIR})
file(RELATIVE_PATH include_from_prefix ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
configure_file(cmake/jitune.pc.in ${PROJECT_BINARY_DIR}/jitune.pc @ONLY)
set(development COMPONENT development)
install(FILES ${PROJECT_BINARY_DIR}/jitune.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig ${development})

install(TARGETS jitune EXPORT jituneTargets
  LIBRARY COMPONENT library NAMELINK_COMPONENT development
  ARCHIVE ${development}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(JITUNE_CLI AND NOT BUILD_SHARED_LIBS)
  install(CODE "
    include(${PROJECT_SOURCE_DIR}/cmake/bin_place.cmake)
    get_filename_component(bin \"${CMAKE_INSTALL_BINDIR}\" ABSOLUTE BASE_DIR \"\${CMAKE_INSTALL_PREFIX}\")
    get_filename_component(lib \"${CMAKE_INSTALL_LIBDIR}\" ABSOLUTE BASE_DIR \"\${CMAKE_INSTALL_PREFIX}\")
    jitune_set_bin_place(\"\$ENV{DESTDIR}\${lib}/$<TARGET_FILE_NAME:jitune>\" \"\${bin}\")" ${development})
endif()
install(DIRECTORY src/include/jitune DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} ${development}
  FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")
install(EXPORT jituneTargets NAMESPACE jitune:: DESTINATION ${JITUNE_PACKAGE_DIR} ${development})
install(FILES ${PROJECT_BINARY_DIR}/jituneConfig.cmake ${PROJECT_BINARY_DIR}/jituneConfigVersion.cmake
  DESTINATION ${JITUNE_PACKAGE_DIR} ${development})
install(DIRECTORY examples/ DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/libjitune-dev/examples ${development}
  PATTERN CMakeLists.txt EXCLUDE)

if(JITUNE_CLI)
  install(TARGETS jitune_cli RUNTIME COMPONENT command)
  # The command prints its own manual pages and completions.
  if(NOT CMAKE_CROSSCOMPILING)
    set(shell ${PROJECT_BINARY_DIR}/shell)
    add_custom_command(OUTPUT ${shell}/done
      COMMAND ${CMAKE_COMMAND} -E rm -rf ${shell}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${shell}/man
      COMMAND jitune_cli manual --folder ${shell}/man
      COMMAND sh -c "gzip -9n \"$0\"/*.1" ${shell}/man
      COMMAND jitune_cli completion bash > ${shell}/jitune
      COMMAND jitune_cli completion zsh > ${shell}/_jitune
      COMMAND jitune_cli completion fish > ${shell}/jitune.fish
      COMMAND ${CMAKE_COMMAND} -E touch ${shell}/done
      DEPENDS jitune_cli VERBATIM)
    add_custom_target(jitune_shell ALL DEPENDS ${shell}/done)
    install(DIRECTORY ${shell}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT command)
    set(data ${CMAKE_INSTALL_DATAROOTDIR})
    install(FILES ${shell}/jitune DESTINATION ${data}/bash-completion/completions COMPONENT command)
    set(zsh site-functions)  # for packages of Debian, which leaves that folder to the administrator:
    if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
      set(zsh vendor-completions)
    endif()
    install(FILES ${shell}/_jitune DESTINATION ${data}/zsh/${zsh} COMPONENT command)
    install(FILES ${shell}/jitune.fish DESTINATION ${data}/fish/vendor_completions.d COMPONENT command)
  endif()
endif()
