# Installs the build tree BUILD below itself, then configures, builds and runs against that installation alone, with the
# same COMPILER and its LAUNCHER: the project CONSUMER, one program for each room of ROOMS, and the examples below SOURCE
# that are projects of their own. Asks also for a component that does not exist, which must fail and say so.
set(prefix "${BUILD}/consumer/prefix")
set(work "${BUILD}/consumer/work")
file(REMOVE_RECURSE "${BUILD}/consumer")

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "exit status ${status}: ${command}")
  endif()
endfunction()

set(options -G "${GENERATOR}" "-DCMAKE_PREFIX_PATH=${prefix}" "-DCMAKE_CXX_COMPILER=${COMPILER}" -DCMAKE_BUILD_TYPE=Debug)
set(configure "${CMAKE_COMMAND}" -S "${CONSUMER}" ${options})

run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${prefix}")
run(${configure} -B "${work}")
run("${CMAKE_COMMAND}" --build "${work}")
string(REPLACE "," ";" ROOMS "${ROOMS}")
foreach(room IN LISTS ROOMS)
  if(NOT EXISTS "${CONSUMER}/${room}.cpp")
    message(FATAL_ERROR "room ${room} has no program in ${CONSUMER}: ${room}.cpp is to use it")
  endif()
  run("${work}/${room}/use_${room}")
endforeach()

# Examples that ask for the installed library: each configures as a project of its own, from a copy, so that nothing beside it
# is found by accident.
set(ENV{CMAKE_CXX_COMPILER_LAUNCHER} "${LAUNCHER}")  # as an argument its words would fall apart
file(GLOB lists "${SOURCE}/examples/*/CMakeLists.txt")
set(examples)
foreach(list IN LISTS lists)
  file(STRINGS "${list}" asks REGEX "find_package\\(dojima ")
  if(asks)
    cmake_path(GET list PARENT_PATH folder)
    cmake_path(GET folder FILENAME name)
    file(COPY "${folder}" DESTINATION "${work}-examples")
    run("${CMAKE_COMMAND}" -S "${work}-examples/${name}" ${options} -B "${work}-examples/build/${name}")
    run("${CMAKE_COMMAND}" --build "${work}-examples/build/${name}")
    list(APPEND examples "${name}")
  endif()
endforeach()
if(NOT examples STREQUAL "fix_echo;fix_script")
  message(FATAL_ERROR "examples on the installed library alone: run them here too: ${examples}")
endif()
# They run: a few cases, in every version, against the shipped configuration of the copy.
run("${PYTHON}" "${SOURCE}/tests/fix_cases/over_sockets.py" --echo "${work}-examples/build/fix_echo/fix-echo"
  --script "${work}-examples/build/fix_script/fix-script" --cases "${work}-examples/fix_script/cases"
  --only logon_is_answered --only order_is_echoed --only resend_gives_duplicates_and_fills)

file(GLOB_RECURSE strays "${prefix}/include/*_test.*" "${prefix}/include/*_test_*" "${prefix}/include/*.cpp")
if(strays)
  message(FATAL_ERROR "installed though nobody can use it: ${strays}")
endif()

execute_process(COMMAND ${configure} -B "${work}-unknown" -DCOMPONENTS=cellar
  RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE complaint)
if(status EQUAL 0 OR NOT complaint MATCHES "no component 'cellar'; it has: base")
  message(FATAL_ERROR "asking for a room that does not exist must fail and name the known ones, but gave ${status}: ${complaint}")
endif()

# A key that is given twice, and a search that finds nothing, are errors of the build that say why.
function(expect_no_hash keys last reason)
  run(${configure} -B "${work}-keys" -DCOMPONENTS=fsm "-DPERFECT_HASH_KEYS=${keys}" "-DPERFECT_HASH_LAST=${last}")
  execute_process(COMMAND "${CMAKE_COMMAND}" --build "${work}-keys"
    RESULT_VARIABLE status OUTPUT_VARIABLE complaint ERROR_VARIABLE complaint)
  string(REGEX REPLACE "[ \n]+" " " complaint "${complaint}")  # CMake breaks lines where it likes
  if(status EQUAL 0 OR NOT complaint MATCHES "${reason}")
    message(FATAL_ERROR "the keys ${keys} must fail the build with \"${reason}\", but gave ${status}: ${complaint}")
  endif()
  file(GLOB_RECURSE left "${work}-keys/*/order_types.hpp*")
  if(left)
    message(FATAL_ERROR "a search that failed has left ${left}")
  endif()
endfunction()

list(FIND ROOMS fsm place)
if(NOT place EQUAL -1)
  expect_no_hash(given_twice 64 "given_twice.txt.*duplicate")
  expect_no_hash(narrow 4 "no denominator up to 4 works")
endif()
