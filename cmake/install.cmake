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
configure_file(cmake/jitune.pc.in ${PROJECT_BINARY_DIR}/jitune.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/jitune.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(TARGETS jitune EXPORT jituneTargets INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY src/include/jitune DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")
install(EXPORT jituneTargets NAMESPACE jitune:: DESTINATION ${JITUNE_PACKAGE_DIR})
install(FILES ${PROJECT_BINARY_DIR}/jituneConfig.cmake ${PROJECT_BINARY_DIR}/jituneConfigVersion.cmake
  DESTINATION ${JITUNE_PACKAGE_DIR})
if(JITUNE_CLI)
  install(TARGETS jitune_cli)
endif()
