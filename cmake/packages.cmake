# SPDX-License-Identifier: Apache-2.0
# Debian's packages, by `scripts/package`: jitune (the command), libjitune0.2, libjitune-dev and python3-jitune. The
# library's package is named after its SOVERSION, as Debian names packages.
set(library_package libjitune${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

set(CPACK_GENERATOR DEB)
set(JITUNE_PACKAGE_CONTACT "The jitune authors <jitune@packages.invalid>" CACHE STRING
  "Who builds the packages: \"NAME <ADDRESS>\"")
set(CPACK_PACKAGE_CONTACT ${JITUNE_PACKAGE_CONTACT})
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_COMPONENTS_ALL library development)
if(JITUNE_CLI)
  list(APPEND CPACK_COMPONENTS_ALL command)
endif()
if(JITUNE_PYTHON_DIR AND TARGET jitune_python)
  list(APPEND CPACK_COMPONENTS_ALL python)
endif()
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
  WORLD_READ WORLD_EXECUTE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)

# jitune_deb(<component> <package> <section> <Depends or ""> <first line> <description>): a package, with its documents.
function(jitune_deb component package section depends summary description)
  string(TOUPPER ${component} upper)
  set(variable CPACK_DEBIAN_${upper}_PACKAGE)
  set(${variable}_NAME ${package} PARENT_SCOPE)
  set(${variable}_SECTION ${section} PARENT_SCOPE)
  set(${variable}_DEPENDS "${depends}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${summary}\n${description}" PARENT_SCOPE)
  set(documents ${CMAKE_INSTALL_DATAROOTDIR}/doc/${package})
  install(FILES cmake/copyright ${PROJECT_BINARY_DIR}/changelog.gz DESTINATION ${documents}
    COMPONENT ${component} EXCLUDE_FROM_ALL)
endfunction()

# Debian's form of CHANGELOG.md: one entry that names it.
string(TIMESTAMP today "%a, %d %b %Y %H:%M:%S +0000" UTC)  # or SOURCE_DATE_EPOCH
file(WRITE ${PROJECT_BINARY_DIR}/changelog "jitune (${PROJECT_VERSION}) unstable; urgency=medium

  * Version ${PROJECT_VERSION}: CHANGELOG.md of the sources says what has changed.

 -- ${CPACK_PACKAGE_CONTACT}  ${today}
")
execute_process(COMMAND gzip -9nkf ${PROJECT_BINARY_DIR}/changelog)

set(about "jitune compiles kernel templates at run time with candidate block sizes
and other parameters, checks and times them on the device, and keeps the
winners in a database.")
set(same "(= ${PROJECT_VERSION})")
jitune_deb(command jitune utils "" "kernel autotuner for GPUs and CPUs: the command"
  "${about}\n.\nThis package has the command, which tunes ahead and looks into the\ndatabase.")
jitune_deb(library ${library_package} libs "" "kernel autotuner for GPUs and CPUs: the library" "${about}")
jitune_deb(development libjitune-dev libdevel "${library_package} ${same}"
  "kernel autotuner for GPUs and CPUs: headers"
  "${about}\n.\nThis package has the headers for C and C++, the files for CMake and\npkg-config, and examples.")
jitune_deb(python python3-jitune python "python3 (>= 3.10), ${library_package} ${same}"
  "kernel autotuner for GPUs and CPUs: Python package"
  "${about}\n.\nThis package has NumPy's reductions for arrays of NumPy, CuPy and PyTorch.")
set(CPACK_DEBIAN_COMMAND_PACKAGE_RECOMMENDS "g++, python3")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_RECOMMENDS "g++, jitune")
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "python3-numpy, jitune")
foreach(component COMMAND LIBRARY PYTHON)
  set(CPACK_DEBIAN_${component}_PACKAGE_SHLIBDEPS ON)
endforeach()
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/lib)
# Debian updates the linker's cache by a trigger. CPack adds scripts that call ldconfig all the same.
set(control ${PROJECT_BINARY_DIR}/control)
file(WRITE ${control}/triggers "activate-noawait ldconfig\n")
string(REPLACE libjitune "" soversion ${library_package})
file(WRITE ${control}/shlibs "libjitune ${soversion} ${library_package} (>= ${PROJECT_VERSION})\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA "${control}/triggers;${control}/shlibs")
include(CPack)
