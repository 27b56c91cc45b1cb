# SPDX-License-Identifier: Apache-2.0
# Builds and runs tests/consumer against jitune as it was installed from the build under test, and compiles it
# with jitune as a subdirectory; that would build the very same library once more, and stops before it.
# Needs SOURCE, BUILD, WORK, CONFIGURE (arguments for every configuration).

function(step)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(consume folder target)
  step(${CMAKE_COMMAND} -S ${SOURCE}/tests/consumer -B ${WORK}/${folder} ${CONFIGURE} ${ARGN})
  step(${CMAKE_COMMAND} --build ${WORK}/${folder} --parallel --target ${target})
endfunction()

file(REMOVE_RECURSE ${WORK})

step(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
step(${WORK}/prefix/bin/jitune --version)
consume(package consumer -DCMAKE_PREFIX_PATH=${WORK}/prefix)
step(${WORK}/package/consumer)
step(${CMAKE_COMMAND} --build ${WORK}/package --target consumer_c)
# The app finds the command of this installation, be it on no PATH.
step(${CMAKE_COMMAND} -E env PATH= ${WORK}/package/consumer_c ${WORK}/tuning.db)

find_program(PKG_CONFIG NAMES pkg-config pkgconf)
if(PKG_CONFIG)  # the file has the prefix of the configuration, not that of this installation
  execute_process(COMMAND sh -c "cc ${SOURCE}/tests/consumer/main.c -o ${WORK}/with_pkg_config \
    $(PKG_CONFIG_PATH=$(dirname $(find ${WORK}/prefix -name jitune.pc)) \
      ${PKG_CONFIG} --define-variable=prefix=${WORK}/prefix --cflags --libs jitune)" COMMAND_ERROR_IS_FATAL ANY)
  file(GLOB_RECURSE library ${WORK}/prefix/libjitune.*)
  list(GET library 0 library)
  cmake_path(GET library PARENT_PATH folder)
  step(${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${folder} ${WORK}/with_pkg_config)
endif()

# Kernels that are compiled ahead need most of the library built first.
consume(subdirectory consumer_objects -DJITUNE_SOURCE=${SOURCE} -DJITUNE_INSTALL=ON -DJITUNE_COMPILED_KERNELS=OFF
  -DCMAKE_BUILD_TYPE=)
