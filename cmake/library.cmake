# The library apps link: all layers in one archive or shared object.
get_property(layers GLOBAL PROPERTY JITUNE_LAYERS)
set(objects "")
foreach(layer IN LISTS layers)
  list(APPEND objects $<TARGET_OBJECTS:${layer}>)
endforeach()
add_library(jitune ${objects})
add_library(jitune::jitune ALIAS jitune)
set_target_properties(jitune PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
  LINKER_LANGUAGE CXX)
target_compile_features(jitune PUBLIC cxx_std_20)
target_include_directories(jitune PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/src/include>)
target_link_libraries(jitune PRIVATE $<BUILD_INTERFACE:jitune_settings>
  fmt::fmt SQLite3::SQLite3 Threads::Threads ${CMAKE_DL_LIBS})
