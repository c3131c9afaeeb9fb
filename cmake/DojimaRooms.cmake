# dojima_room(NAME [PUBLIC folder...] [PARTS folder...] [PART_LINKS part target...] [DEPENDS room...] [USES component...]
#   [PRIVATE target...] [TESTS room...] [HEADERS header...] [OPTIMISED path...])
#
# One folder under dojima/ is one room: a library dojima_NAME (alias dojima::NAME) made of its sources, and a test
# program dojima_NAME_tests made of its *_test.cpp. Its *_long_test.cpp, which compute for long, make a test program
# dojima_NAME_long_tests, so that the tests of an edit need not wait for them. New files are picked up when the build is run
# again.
#
# Headers directly in dojima/NAME/ are the room's public face; those in its sub-folders are private to it, but for the
# folders named after PUBLIC. DEPENDS are the rooms that its sources include, TESTS those that only its tests do, PRIVATE
# what only its sources link. HEADERS, named from dojima/, are those of lower rooms that nearly every source includes and that take
# long to read: they are compiled once for the room, together with the standard headers. tests/house/includes.py holds all of it against the sources.
#
# A sub-folder after PARTS is a library dojima_NAME_PART (alias dojima::NAME_PART) that stands on the room's, with a test
# program dojima_NAME_PART_tests: who does not use it neither builds nor links it. PART_LINKS names a part and what only its
# sources link; such a part is a component of its own, NAME_PART, when the house is installed. USES names such parts of
# rooms in DEPENDS.
#
# Rooms that print and parse are optimised a little, and under a sanitizer, like others that compute little, not at all: that
# halves what they take to compile. The sources of such a room, or in such a folder of it, that OPTIMISED names run for each message
# or order, and are compiled as other rooms are.
if(DOJIMA_SANITIZE)
  set(DOJIMA_PLAIN_ROOMS evidence measure harness instruments web replay simulate app cli)
  set(DOJIMA_ROOM_LEVEL_plain -O0)
else()
  set(DOJIMA_PLAIN_ROOMS evidence harness web app cli)
  set(DOJIMA_ROOM_LEVEL_plain $<$<CONFIG:Release>:-O1>)
endif()
set(DOJIMA_ROOM_LEVEL_optimised "")
# How far tests are optimised (dojima_test).
set(DOJIMA_TEST_LEVEL_plain -O0)
set(DOJIMA_TEST_LEVEL_optimised $<$<CONFIG:Release>:-O1>)
set(DOJIMA_TEST_COMPILE_plain ${DOJIMA_TEST_LEVEL_plain})
set(DOJIMA_TEST_COMPILE_optimised ${DOJIMA_TEST_LEVEL_optimised})
set(DOJIMA_TEST_LINK_plain "")
set(DOJIMA_TEST_LINK_optimised "")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT DOJIMA_SANITIZE)
  # A tenth of what such a test takes to compile: std::move and the like are no functions then, and code need not be movable.
  list(APPEND DOJIMA_TEST_COMPILE_plain -ffold-simple-inlines -fno-pie)
  set(DOJIMA_TEST_LINK_plain -no-pie)
endif()

# How programs that only have to run are compiled (dojima_program_headers).
if(DOJIMA_BENCH_OPTIMISED)
  set(DOJIMA_PROGRAM_COMPILE ${DOJIMA_ROOM_LEVEL_plain})
  set(DOJIMA_PROGRAM_LINK "")
else()
  set(DOJIMA_PROGRAM_COMPILE ${DOJIMA_TEST_COMPILE_plain})
  set(DOJIMA_PROGRAM_LINK ${DOJIMA_TEST_LINK_plain})
endif()

set_property(GLOBAL PROPERTY DOJIMA_ROOMS "")
if(DOJIMA_BUILD_TESTS)
  find_package(Python3 COMPONENTS Interpreter REQUIRED)
  # The programs of quick tests, and those of long tests as well.
  add_custom_target(quick_unit_tests)
  add_custom_target(unit_tests)
  add_dependencies(unit_tests quick_unit_tests)
  # Public headers that no source of their own includes first (see dojima_headers_alone): for `./dev check --full`.
  add_custom_target(headers_alone)
endif()

function(dojima_room NAME)
  cmake_parse_arguments(ROOM "" "" "PUBLIC;PARTS;PART_LINKS;DEPENDS;USES;PRIVATE;TESTS;HEADERS;OPTIMISED" ${ARGN})
  set(folder "${CMAKE_SOURCE_DIR}/dojima/${NAME}")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${folder}/*.cpp")
  file(GLOB_RECURSE tests CONFIGURE_DEPENDS "${folder}/*_test.cpp")
  set(long_tests ${tests})
  list(FILTER sources EXCLUDE REGEX "_(test|bench|fuzz)\\.cpp$")
  list(FILTER tests EXCLUDE REGEX "_long_test\\.cpp$")
  list(FILTER long_tests INCLUDE REGEX "_long_test\\.cpp$")
  foreach(part IN LISTS ROOM_PARTS)
    foreach(kind sources tests)
      set(part_${kind} ${${kind}})
      list(FILTER part_${kind} INCLUDE REGEX "^${folder}/${part}/")
      list(FILTER ${kind} EXCLUDE REGEX "^${folder}/${part}/")
      set(${part}_${kind} ${part_${kind}})
    endforeach()
  endforeach()
  list(APPEND ROOM_DEPENDS ${ROOM_USES})
  list(TRANSFORM ROOM_DEPENDS PREPEND dojima_)
  list(TRANSFORM ROOM_TESTS PREPEND dojima_)
  list(TRANSFORM ROOM_HEADERS PREPEND "${CMAKE_SOURCE_DIR}/dojima/")

  if(sources)
    set(units ${sources})
    set(optimised_units "")
    if(ROOM_OPTIMISED AND NOT DOJIMA_SANITIZE)
      list(JOIN ROOM_OPTIMISED "|" optimised)
      list(APPEND optimised_units ${sources})
      list(FILTER optimised_units INCLUDE REGEX "^${folder}/(${optimised})(/|\\.cpp$)")
      list(REMOVE_ITEM units ${optimised_units})
    endif()
    dojima_join_sources(joined ${NAME})
    if(joined)
      dojima_unity_units(units dojima_${NAME} ${units})
      dojima_unity_units(optimised_units dojima_${NAME}_optimised ${optimised_units})
    endif()
    add_library(dojima_${NAME} STATIC ${units})
    target_include_directories(dojima_${NAME} PUBLIC
      "$<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
    target_compile_features(dojima_${NAME} PUBLIC cxx_std_23)
    target_link_libraries(dojima_${NAME} PUBLIC ${ROOM_DEPENDS} Threads::Threads PRIVATE $<BUILD_INTERFACE:dojima_options>)
    set(face ${sources})
    foreach(source IN LISTS sources)
      file(RELATIVE_PATH name "${folder}" "${source}")
      get_filename_component(inner "${name}" DIRECTORY)
      if(inner AND NOT inner IN_LIST ROOM_PUBLIC)
        list(REMOVE_ITEM face "${source}")
      endif()
    endforeach()
    dojima_room_headers(dojima_${NAME} ${NAME} "${face}" HEADERS ${ROOM_HEADERS})
    foreach(dependency IN LISTS ROOM_PRIVATE)
      # Headers that only our sources see need no place in the installed targets; libraries to link do.
      if(dependency IN_LIST DOJIMA_HEADER_ONLY)
        target_link_libraries(dojima_${NAME} PRIVATE "$<BUILD_INTERFACE:${dependency}>")
      else()
        target_link_libraries(dojima_${NAME} PRIVATE ${dependency})
      endif()
    endforeach()
    if(optimised_units)
      # Options go with a target, as precompiled headers do: these are objects of one of their own, and go into the same archive.
      add_library(dojima_${NAME}_optimised OBJECT ${optimised_units})
      target_include_directories(dojima_${NAME}_optimised PRIVATE "${CMAKE_SOURCE_DIR}")
      target_compile_features(dojima_${NAME}_optimised PRIVATE cxx_std_23)
      target_link_libraries(dojima_${NAME}_optimised PRIVATE ${ROOM_DEPENDS} ${ROOM_PRIVATE} Threads::Threads dojima_options)
      dojima_room_headers(dojima_${NAME}_optimised "" "${face}")
      target_sources(dojima_${NAME} PRIVATE $<TARGET_OBJECTS:dojima_${NAME}_optimised>)
    endif()
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
  set_property(GLOBAL APPEND PROPERTY DOJIMA_COMPONENTS ${NAME})
  list(TRANSFORM ROOM_DEPENDS REPLACE "^dojima_" "" OUTPUT_VARIABLE depends)
  set_property(GLOBAL PROPERTY DOJIMA_ROOM_DEPENDS_${NAME} "${depends}")
  set_property(GLOBAL PROPERTY DOJIMA_ROOM_PRIVATE_${NAME} "${ROOM_PRIVATE}")
  set_property(GLOBAL PROPERTY DOJIMA_ROOM_PARTS_${NAME} "${ROOM_PARTS}")
  if(ROOM_PART_LINKS)
    list(POP_FRONT ROOM_PART_LINKS linking_part)
    set_property(GLOBAL PROPERTY DOJIMA_PART_PRIVATE_${NAME}_${linking_part} "${ROOM_PART_LINKS}")
    set_property(GLOBAL APPEND PROPERTY DOJIMA_COMPONENTS ${NAME}_${linking_part})
  endif()

  # With a sanitizer the headers are the same.
  if(DOJIMA_BUILD_TESTS AND NOT DOJIMA_SANITIZE)
    dojima_headers_alone(${NAME} "${ROOM_PUBLIC}")
  endif()
  dojima_unit_test(${NAME} SOURCES ${tests} LINK dojima_${NAME} ${ROOM_TESTS})

  set(all dojima_${NAME})
  foreach(part IN LISTS ROOM_PARTS)
    set(library dojima_${NAME}_${part})
    if(joined)
      dojima_unity_units(${part}_sources ${library} ${${part}_sources})
    endif()
    add_library(${library} STATIC ${${part}_sources})
    target_link_libraries(${library} PUBLIC dojima_${NAME} PRIVATE $<BUILD_INTERFACE:dojima_options>)
    get_property(linked GLOBAL PROPERTY DOJIMA_PART_PRIVATE_${NAME}_${part})
    target_link_libraries(${library} PRIVATE ${linked})
    dojima_room_headers(${library} ${NAME} "")
    set_target_properties(${library} PROPERTIES EXPORT_NAME ${NAME}_${part})
    add_library(dojima::${NAME}_${part} ALIAS ${library})
    dojima_unit_test(${NAME}_${part} SOURCES ${${part}_tests} LINK ${library} ${ROOM_TESTS} ${linked})
    list(PREPEND all ${library})
  endforeach()
  dojima_unit_test(${NAME}_long SOURCES ${long_tests} LINK ${all} ${ROOM_TESTS})
endfunction()

# dojima_room_headers(TARGET ROOM FACE): how a room's library is compiled: how far it is optimised, that it tells libFuzzer what it
# reaches, and with the standard headers that most sources include, compiled once, which is half of what a source of a private
# sub-folder took to compile. Where sources are compiled one by one, those of the public FACE do without, since each shows that its
# header compiles alone, but for builds with a sanitizer, which need not show it again: their standard headers are the same. The
# preset `clang` does without everywhere, and finds what a private file forgot to include. HEADERS that nearly every source of this
# target includes as well are compiled once with them.
function(dojima_room_headers TARGET ROOM FACE)
  cmake_parse_arguments(OWN "" "" "HEADERS" ${ARGN})
  set(kind optimised)
  if(ROOM IN_LIST DOJIMA_PLAIN_ROOMS)
    set(kind plain)
  endif()
  if(DOJIMA_UNITY_SOURCES AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # A source that is included, not compiled itself, looks to g++ like a header whose types units share, but cannot name.
    target_compile_options(${TARGET} PRIVATE -Wno-subobject-linkage)
  endif()
  dojima_library_headers(${TARGET} ${kind} ${OWN_HEADERS})
  if(FACE AND NOT DOJIMA_SANITIZE AND NOT DOJIMA_UNITY_SOURCES)
    set_source_files_properties(${FACE} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  endif()
endfunction()

# dojima_library_headers(TARGET KIND header...): a library that is compiled as a room is, `plain` or `optimised`: with its options
# and its precompiled headers, and these headers as well.
function(dojima_library_headers TARGET KIND)
  set(standard <algorithm> <array> <atomic> <bitset> <charconv> <chrono> <cmath> <cstdint> <cstring> <deque> <expected> <functional>
    <limits> <map> <memory> <mutex> <optional> <span> <string> <string_view> <unordered_map> <unordered_set> <utility> <variant> <vector>)
  set(options "")
  if(DOJIMA_BUILD_FUZZERS)
    set(options -fsanitize=fuzzer-no-link)
  endif()
  list(APPEND options ${DOJIMA_ROOM_LEVEL_${KIND}})
  if(NOT TARGET dojima_room_headers_${KIND})
    set(headers dojima_room_headers_${KIND})
    file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/room_headers.cpp" CONTENT "" @ONLY)
    add_library(${headers} STATIC EXCLUDE_FROM_ALL "${CMAKE_BINARY_DIR}/room_headers.cpp")
    target_link_libraries(${headers} PRIVATE dojima_options)
    target_compile_features(${headers} PRIVATE cxx_std_23)
    target_compile_options(${headers} PRIVATE ${options})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
      # ccache compares contents, not times.
      target_compile_options(${headers} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
    endif()
    target_precompile_headers(${headers} PRIVATE ${standard})
  endif()
  target_compile_options(${TARGET} PRIVATE ${options})
  if(ARGN)
    target_precompile_headers(${TARGET} PRIVATE ${standard} ${ARGN})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
      target_compile_options(${TARGET} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
    endif()
  else()
    target_precompile_headers(${TARGET} REUSE_FROM dojima_room_headers_${KIND})
  endif()
endfunction()

# dojima_program_headers(TARGET): how a program that only has to run is compiled: not optimised where benchmarks only have to run
# either, a little elsewhere, with standard headers compiled once for all of them. The option parser is not among them: it has
# objects of its own, whose construction each unit that it is in compiles, which takes longer than most of those units.
function(dojima_program_headers TARGET)
  if(NOT TARGET dojima_common_headers_of_programs)
    set(headers dojima_common_headers_of_programs)
    file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/program_headers.cpp" CONTENT "int main() {}\n" @ONLY)
    add_executable(${headers} EXCLUDE_FROM_ALL "${CMAKE_BINARY_DIR}/program_headers.cpp")
    target_link_libraries(${headers} PRIVATE dojima_options)
    target_compile_features(${headers} PRIVATE cxx_std_23)
    target_compile_options(${headers} PRIVATE ${DOJIMA_PROGRAM_COMPILE})
    target_link_options(${headers} PRIVATE ${DOJIMA_PROGRAM_LINK})
    target_precompile_headers(${headers} PRIVATE <algorithm> <array> <atomic> <bitset> <chrono> <cmath> <cstdint> <cstring> <deque>
      <expected> <filesystem> <fstream> <functional> <map> <memory> <mutex> <optional> <set> <span> <string> <string_view> <thread>
      <unordered_map> <unordered_set> <utility> <variant> <vector>)
  endif()
  target_compile_options(${TARGET} PRIVATE ${DOJIMA_PROGRAM_COMPILE})
  if(DOJIMA_UNITY_SOURCES AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT DOJIMA_BENCH_OPTIMISED)
    target_compile_options(${TARGET} PRIVATE -Wno-subobject-linkage)  # as dojima_room_headers does
  endif()
  target_link_options(${TARGET} PRIVATE ${DOJIMA_PROGRAM_LINK})
  target_precompile_headers(${TARGET} REUSE_FROM dojima_common_headers_of_programs)
endfunction()

# dojima_program_library(TARGET): a library of such programs, or of tests that are not optimised, and of nothing else.
function(dojima_program_library TARGET)
  if(DOJIMA_BENCH_OPTIMISED)
    dojima_library_headers(${TARGET} plain)
  else()
    set_target_properties(${TARGET} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    dojima_program_headers(${TARGET})
  endif()
endfunction()

# dojima_program_units(RESULT TARGET file...): the sources of such a program, or, where they only have to run, units of several of
# them each.
function(dojima_program_units RESULT TARGET)
  set(units ${ARGN})
  list(LENGTH units count)
  if(count GREATER 1 AND NOT DOJIMA_BENCH_OPTIMISED AND DOJIMA_UNITY_SOURCES)
    set(headers ${ARGN})  # made ones, which are to be there first
    list(FILTER headers INCLUDE REGEX "\\.hpp$")
    list(FILTER units EXCLUDE REGEX "\\.hpp$")
    dojima_unity_units(units ${TARGET} ${units})
    list(APPEND units ${headers})
  endif()
  set(${RESULT} ${units} PARENT_SCOPE)
endfunction()

# dojima_unit_test(NAME SOURCES file... LINK target...): the test program dojima_NAME_tests, if it has sources.
function(dojima_unit_test NAME)
  cmake_parse_arguments(UNIT "" "" "SOURCES;LINK" ${ARGN})
  if(DOJIMA_BUILD_TESTS AND UNIT_SOURCES)
    string(REPLACE "_" "-" label "unit-${NAME}")
    dojima_test(dojima_${NAME}_tests SOURCES ${UNIT_SOURCES} LINK ${UNIT_LINK} LABEL ${label})
    if(NAME MATCHES "_long$")
      add_dependencies(unit_tests dojima_${NAME}_tests)
    else()
      add_dependencies(quick_unit_tests dojima_${NAME}_tests)
    endif()
  endif()
endfunction()

# dojima_join_sources(RESULT NAME): whether the sources of a room are compiled several to a unit. The rooms of templates that are
# instantiated once, each in a source of its own, gain nothing by it.
function(dojima_join_sources RESULT NAME)
  set(${RESULT} OFF PARENT_SCOPE)
  if(DOJIMA_UNITY_SOURCES AND NOT NAME MATCHES "^(fsm|sched|book)$")
    set(${RESULT} ON PARENT_SCOPE)
  endif()
endfunction()

# dojima_headers_alone(NAME PUBLIC-FOLDERS): every public header of a room compiles alone, with whatever compiler builds this
# tree, unless it is for a sanitizer. x.cpp beside x.hpp includes it first (tests/house/includes.py sees to that), which shows it;
# for the others, and for all in builds that join sources, a unit of one line is compiled, not optimised, in the target headers_alone.
# Standard headers may be precompiled for that, as tests/house/std_includes.py sees to it that each header includes its own. It
# takes as long as compiling a large room; own_includes.py beside it finds nearly all of what is missing in a second.
function(dojima_headers_alone NAME FOLDERS)
  set(folder "${CMAKE_SOURCE_DIR}/dojima/${NAME}")
  file(GLOB headers CONFIGURE_DEPENDS "${folder}/*.hpp")
  foreach(public IN LISTS FOLDERS)
    file(GLOB more CONFIGURE_DEPENDS "${folder}/${public}/*.hpp")
    list(APPEND headers ${more})
  endforeach()
  list(FILTER headers EXCLUDE REGEX "_test[_.]")
  set(units "")
  foreach(header IN LISTS headers)
    string(REGEX REPLACE "\\.hpp$" "" stem "${header}")
    if(EXISTS "${stem}.cpp" AND NOT DOJIMA_UNITY_SOURCES)
      continue()
    endif()
    file(RELATIVE_PATH name "${CMAKE_SOURCE_DIR}" "${header}")
    string(REPLACE "/" "." unit "${name}.cpp")
    set(unit "${CMAKE_BINARY_DIR}/headers_alone/${unit}")
    file(CONFIGURE OUTPUT "${unit}" CONTENT "#include \"${name}\"\n" @ONLY)
    list(APPEND units "${unit}")
  endforeach()
  if(units)
    if(NOT TARGET dojima_headers_for_headers)
      file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/headers_for_headers.cpp" CONTENT "" @ONLY)
      add_library(dojima_headers_for_headers STATIC EXCLUDE_FROM_ALL "${CMAKE_BINARY_DIR}/headers_for_headers.cpp")
      target_link_libraries(dojima_headers_for_headers PRIVATE dojima_options)
      target_compile_features(dojima_headers_for_headers PRIVATE cxx_std_23)
      target_compile_options(dojima_headers_for_headers PRIVATE -O0)
      target_precompile_headers(dojima_headers_for_headers PRIVATE <algorithm> <array> <chrono> <cstdint> <expected> <filesystem>
        <functional> <map> <memory> <optional> <span> <string> <string_view> <vector>)
    endif()
    add_library(dojima_${NAME}_headers OBJECT EXCLUDE_FROM_ALL ${units})
    target_link_libraries(dojima_${NAME}_headers PRIVATE dojima_${NAME} dojima_options)
    target_compile_options(dojima_${NAME}_headers PRIVATE -O0)
    target_precompile_headers(dojima_${NAME}_headers REUSE_FROM dojima_headers_for_headers)
    add_dependencies(headers_alone dojima_${NAME}_headers)
  endif()
endfunction()

# dojima_test(TARGET SOURCES file... LINK target... [LABEL label]): a GoogleTest + RapidCheck program, each of its tests
# known to ctest. Unit tests carry the label unit-<room>, tests that span rooms the label `span` unless they say otherwise.
# Suites whose name ends in "Long" take their time; a test of any other takes at most 0.3 s (tools/quick_tests.py).
function(dojima_test TARGET)
  cmake_parse_arguments(TEST "" "LABEL" "SOURCES;LINK" ${ARGN})
  if(NOT TEST_LABEL)
    set(TEST_LABEL span)
  endif()
  if(DOJIMA_UNITY_TESTS)
    dojima_unity_units(TEST_SOURCES ${TARGET} ${TEST_SOURCES})
  endif()
  add_executable(${TARGET} ${TEST_SOURCES})
  if(DOJIMA_UNITY_TESTS AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # A test that is included, not compiled itself, looks to g++ like a header whose types units share, but cannot name.
    target_compile_options(${TARGET} PRIVATE -Wno-subobject-linkage)
  endif()
  if(TEST_LABEL MATCHES "^unit-")
    set_property(TARGET ${TARGET} PROPERTY DOJIMA_UNIT_TEST ON)
  endif()
  # What a test calls is compiled and optimised in its room. Only where the room is templates, and where a test computes for
  # long itself, optimising the test pays for itself; under a sanitizer, where compiling costs more, for the scheduler's only, and
  # where nothing is measured only for those that compute for longer than that takes to compile.
  set(optimised base time fsm market sched book book-storages)
  set(is_long FALSE)
  if(TEST_LABEL MATCHES "^unit-.*-long$")
    set(is_long TRUE)
  endif()
  if(DOJIMA_SANITIZE)
    set(optimised sched)
  elseif(NOT DOJIMA_BENCH_OPTIMISED)
    set(optimised time fsm sched book)
    if(is_long)
      string(REGEX REPLACE "^unit-" "" tested "${TEST_LABEL}")
      list(APPEND optimised "${tested}")
      set(is_long FALSE)
    endif()
  endif()
  if(NOT is_long)
    string(REGEX REPLACE "^unit-" "" tested "${TEST_LABEL}")
    set(kind plain)
    if(tested IN_LIST optimised)
      set(kind optimised)
    endif()
    target_compile_options(${TARGET} PRIVATE ${DOJIMA_TEST_COMPILE_${kind}})
    target_link_options(${TARGET} PRIVATE ${DOJIMA_TEST_LINK_${kind}})
    # The test library and the standard headers around it are half of what such a test compiles.
    target_precompile_headers(${TARGET} REUSE_FROM dojima_test_headers_${kind})
  endif()
  if(DOJIMA_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # A third of the sanitizers' build went into instrumenting the test libraries' templates.
    target_compile_options(${TARGET} PRIVATE "-fsanitize-ignorelist=${CMAKE_SOURCE_DIR}/cmake/test_libraries.ignorelist")
  endif()
  target_link_libraries(${TARGET} PRIVATE ${TEST_LINK} dojima_options dojima_test_support)
  gtest_discover_tests(${TARGET} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT 300 LABELS ${TEST_LABEL})
  if(TEST_LABEL MATCHES "^unit-")
    dojima_whole_program(${TARGET} ${TEST_LABEL})
  endif()
endfunction()

# dojima_unity_units(RESULT TARGET file...): units that include several of these sources each, in the order of their names and as
# evenly as can be: up to DOJIMA_UNITY_BATCH, of rooms that are hardly optimised and of tests twice that, since what a header's users
# cost is what their units read anew, but of tests never one unit where two of DOJIMA_UNITY_BATCH could be compiled side by
# side. A source with definitions or options of its own, or SKIP_UNITY_BUILD_INCLUSION, stays alone; those with the property
# DOJIMA_UNITY_FAMILY are joined with those of the same family only. The units name their sources from the root, so that ccache knows
# them in every checkout, which CMake's own unity builds do not. All tests of a program, and all sources of a family in a room,
# compile together as one unit as well, so that a new file, which moves the borders, breaks nothing. How sources are joined changes
# what is inlined: bench.budget.check counts it.
if(NOT DEFINED DOJIMA_UNITY_BATCH)
  set(DOJIMA_UNITY_BATCH 6)
endif()
function(dojima_unity_units RESULT TARGET)
  set(batch ${DOJIMA_UNITY_BATCH})
  string(REGEX REPLACE "^dojima_" "" room "${TARGET}")
  if(room MATCHES "^(evidence|harness|web|app|cli)$")
    math(EXPR batch "${batch} * 2")
  endif()
  set(alone "")
  set(families "")
  foreach(source IN LISTS ARGN)
    get_filename_component(source "${source}" ABSOLUTE)
    get_source_file_property(definitions "${source}" COMPILE_DEFINITIONS)
    get_source_file_property(options "${source}" COMPILE_OPTIONS)
    get_source_file_property(skipped "${source}" SKIP_UNITY_BUILD_INCLUSION)
    if(definitions OR options OR skipped)
      list(APPEND alone "${source}")
    else()
      get_source_file_property(family "${source}" DOJIMA_UNITY_FAMILY)
      if(NOT family)
        set(family 0)
      endif()
      list(APPEND families ${family})
      file(RELATIVE_PATH name "${CMAKE_SOURCE_DIR}" "${source}")
      list(APPEND members_${family} "${name}")
    endif()
  endforeach()
  list(REMOVE_DUPLICATES families)
  list(SORT families)
  set(unit 0)
  foreach(family IN LISTS families)
    set(together ${members_${family}})
    list(SORT together)
    list(LENGTH together count)
    math(EXPR units "(${count} + ${batch} - 1) / ${batch}")
    if("${TARGET}" MATCHES "_tests$" AND units GREATER 2)
      math(EXPR units "(${units} + 1) / 2")
    endif()
    set(number 0)
    while(number LESS units)
      math(EXPR begin "${count} * ${number} / ${units}")
      math(EXPR size "${count} * (${number} + 1) / ${units} - ${begin}")
      list(SUBLIST together ${begin} ${size} names)
      list(TRANSFORM names REPLACE "(.+)" "#include \"\\1\"\n")
      list(JOIN names "" content)
      set(file "${CMAKE_BINARY_DIR}/unity/${TARGET}_${unit}.cpp")
      file(CONFIGURE OUTPUT "${file}" CONTENT "${content}" @ONLY)
      list(APPEND alone "${file}")
      math(EXPR number "${number} + 1")
      math(EXPR unit "${unit} + 1")
    endwhile()
  endforeach()
  set(${RESULT} ${alone} PARENT_SCOPE)
endfunction()

# dojima_outside_tests(ROOM FOLDER [EXCEPT file...]): the tests in dojima/ROOM/FOLDER, but for these, see the room from outside, by
# its public headers only, and are compiled apart from the others: a line in a private header costs them nothing.
# tests/house/includes.py holds what they include, and what their test headers do, against it.
function(dojima_outside_tests ROOM FOLDER)
  cmake_parse_arguments(OUTSIDE "" "" "EXCEPT" ${ARGN})
  set(folder "${CMAKE_SOURCE_DIR}/dojima/${ROOM}/${FOLDER}")
  file(GLOB tests CONFIGURE_DEPENDS "${folder}/*_test.cpp")
  foreach(inside IN LISTS OUTSIDE_EXCEPT)
    list(REMOVE_ITEM tests "${folder}/${inside}")
  endforeach()
  set_source_files_properties(${tests} DIRECTORY "${CMAKE_SOURCE_DIR}" PROPERTIES DOJIMA_UNITY_FAMILY 1)
endfunction()

# dojima_whole_program(TARGET LABEL): a unit test program as one test, whole.TARGET, which `ctest -C Whole -LE ^unit-` runs instead
# of the hundreds of processes that its tests are one by one. A test that fails is named in its output. An optimised build holds
# quick tests against three times their limit, as processors differ: one whose two shared a core took 1.7 times as long. Where a room has state machines, a row that no test exercised fails.
set(DOJIMA_LONGEST_PROGRAMS sched book_long journal fix cli venue gateway fsm time app simulate book_storages mit journal_long)
function(dojima_whole_program TARGET LABEL)
  string(REGEX REPLACE "^dojima_(.*)_tests$" "\\1" name "${TARGET}")
  set(timeout 900)
  if(DOJIMA_SANITIZE)
    set(timeout 3600)
  endif()
  set(limit --no-limit)
  if(CMAKE_CXX_FLAGS_RELEASE STREQUAL "-O3" AND CMAKE_BUILD_TYPE STREQUAL "Release")
    set(limit --limit 0.9)
  endif()
  add_test(NAME whole.${TARGET} CONFIGURATIONS Whole
    COMMAND "${Python3_EXECUTABLE}" "${CMAKE_SOURCE_DIR}/tools/quick_tests.py" --all --timeout ${timeout} ${limit} $<TARGET_FILE:${TARGET}>)
  # Longest first, so that the last tests to end do not wait for one.
  set(cost 1)
  if(name IN_LIST DOJIMA_LONGEST_PROGRAMS)
    set(cost 20)
  endif()
  if(name STREQUAL queueing_long)
    set(cost 100)
  endif()
  math(EXPR patience "${timeout} + 100")
  set_tests_properties(whole.${TARGET} PROPERTIES LABELS whole TIMEOUT ${patience} COST ${cost})
  file(GLOB machines "${CMAKE_SOURCE_DIR}/dojima/${name}/*_machine.hpp")
  if(machines)
    set_tests_properties(whole.${TARGET} PROPERTIES ENVIRONMENT DOJIMA_ROW_COVERAGE=1)
  endif()
endfunction()

# dojima_collect_programs(): the target `programs`, all that is built but unit tests, benchmarks, peers and fuzz targets: what a
# second compiler builds where another build runs those.
function(dojima_collect_programs)
  add_custom_target(programs)
  set(folders "${CMAKE_SOURCE_DIR}")
  while(folders)
    list(POP_FRONT folders folder)
    get_property(targets DIRECTORY "${folder}" PROPERTY BUILDSYSTEM_TARGETS)
    get_property(below DIRECTORY "${folder}" PROPERTY SUBDIRECTORIES)
    list(APPEND folders ${below})
    foreach(target IN LISTS targets)
      get_target_property(type ${target} TYPE)
      get_property(is_unit_test TARGET ${target} PROPERTY DOJIMA_UNIT_TEST)
      if(type MATCHES "^(EXECUTABLE|STATIC_LIBRARY)$" AND NOT is_unit_test AND NOT target MATCHES "^dojima-(bench|peer)-|_fuzz$")
        add_dependencies(programs ${target})
      endif()
    endforeach()
  endwhile()
endfunction()
