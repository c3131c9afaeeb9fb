# dojima_room(NAME [DEPENDS room...] [PRIVATE target...])
#
# One folder under dojima/ is one room: a library dojima_NAME (alias dojima::NAME) made of its sources, and one test
# program dojima_NAME_tests made of its *_test.cpp. New files are picked up when the build is run again.
set_property(GLOBAL PROPERTY DOJIMA_ROOMS "")
if(DOJIMA_BUILD_TESTS)
  add_custom_target(unit_tests)
endif()

function(dojima_room NAME)
  cmake_parse_arguments(ROOM "" "" "DEPENDS;PRIVATE" ${ARGN})
  set(folder "${CMAKE_SOURCE_DIR}/dojima/${NAME}")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${folder}/*.cpp")
  file(GLOB_RECURSE tests CONFIGURE_DEPENDS "${folder}/*_test.cpp")
  list(FILTER sources EXCLUDE REGEX "_(test|bench|fuzz)\\.cpp$")
  list(TRANSFORM ROOM_DEPENDS PREPEND dojima_)

  if(sources)
    add_library(dojima_${NAME} STATIC ${sources})
    target_include_directories(dojima_${NAME} PUBLIC
      "$<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
    target_compile_features(dojima_${NAME} PUBLIC cxx_std_23)
    target_link_libraries(dojima_${NAME} PUBLIC ${ROOM_DEPENDS} Threads::Threads PRIVATE $<BUILD_INTERFACE:dojima_options>)
    foreach(dependency IN LISTS ROOM_PRIVATE)
      # Headers that only our sources see need no place in the installed targets; libraries to link do.
      if(dependency IN_LIST DOJIMA_HEADER_ONLY)
        target_link_libraries(dojima_${NAME} PRIVATE "$<BUILD_INTERFACE:${dependency}>")
      else()
        target_link_libraries(dojima_${NAME} PRIVATE ${dependency})
      endif()
    endforeach()
  else()
    add_library(dojima_${NAME} INTERFACE)
    target_include_directories(dojima_${NAME} INTERFACE
      "$<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
    target_compile_features(dojima_${NAME} INTERFACE cxx_std_23)
    target_link_libraries(dojima_${NAME} INTERFACE ${ROOM_DEPENDS} Threads::Threads)
  endif()
  set_target_properties(dojima_${NAME} PROPERTIES EXPORT_NAME ${NAME})
  add_library(dojima::${NAME} ALIAS dojima_${NAME})
  set_property(GLOBAL APPEND PROPERTY DOJIMA_ROOMS ${NAME})
  list(TRANSFORM ROOM_DEPENDS REPLACE "^dojima_" "" OUTPUT_VARIABLE depends)
  set_property(GLOBAL PROPERTY DOJIMA_ROOM_DEPENDS_${NAME} "${depends}")
  set_property(GLOBAL PROPERTY DOJIMA_ROOM_PRIVATE_${NAME} "${ROOM_PRIVATE}")

  if(DOJIMA_BUILD_TESTS AND tests)
    dojima_test(dojima_${NAME}_tests SOURCES ${tests} LINK dojima_${NAME} LABEL unit-${NAME})
    add_dependencies(unit_tests dojima_${NAME}_tests)
  endif()
endfunction()

# dojima_test(TARGET SOURCES file... LINK target... [LABEL label]): a GoogleTest + RapidCheck program, each of its tests
# known to ctest. Unit tests carry the label unit-<room>, tests that span rooms the label `span` unless they say otherwise.
function(dojima_test TARGET)
  cmake_parse_arguments(TEST "" "LABEL" "SOURCES;LINK" ${ARGN})
  if(NOT TEST_LABEL)
    set(TEST_LABEL span)
  endif()
  add_executable(${TARGET} ${TEST_SOURCES})
  target_link_libraries(${TARGET} PRIVATE ${TEST_LINK} dojima_options dojima_test_support)
  gtest_discover_tests(${TARGET} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT 300 LABELS ${TEST_LABEL})
endfunction()
