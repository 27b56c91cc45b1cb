# Builds and runs tests/consumer against jitune in three ways: installed from the build under test,
# as a subdirectory with the other kind of library (static or shared), and installed from there.
# Needs SOURCE, BUILD, WORK, SHARED, CONFIGURE (arguments for every configuration).

function(step)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(consume folder)
  step(${CMAKE_COMMAND} -S ${SOURCE}/tests/consumer -B ${WORK}/${folder} ${CONFIGURE} ${ARGN})
  step(${CMAKE_COMMAND} --build ${WORK}/${folder} --parallel)
  step(${WORK}/${folder}/consumer)
endfunction()

if(SHARED)
  set(other OFF)
else()
  set(other ON)
endif()
file(REMOVE_RECURSE ${WORK})

step(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
step(${WORK}/prefix/bin/jitune --version)
consume(package -DCMAKE_PREFIX_PATH=${WORK}/prefix)

# Its build type does not matter, and nothing compiles faster.
consume(subdirectory -DJITUNE_SOURCE=${SOURCE} -DJITUNE_INSTALL=ON -DBUILD_SHARED_LIBS=${other} -DCMAKE_BUILD_TYPE=)
step(${CMAKE_COMMAND} --install ${WORK}/subdirectory --prefix ${WORK}/other_prefix)
consume(other_package -DCMAKE_PREFIX_PATH=${WORK}/other_prefix)
