# Installs the build tree BUILD below itself, then configures, builds and runs the project CONSUMER against that
# installation alone, with the same COMPILER: one program for each room of ROOMS. Asks also for a component that does not
# exist, which must fail and say so.
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

set(configure "${CMAKE_COMMAND}" -S "${CONSUMER}" -G "${GENERATOR}"
  "-DCMAKE_PREFIX_PATH=${prefix}" "-DCMAKE_CXX_COMPILER=${COMPILER}" -DCMAKE_BUILD_TYPE=Debug)

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

file(GLOB_RECURSE strays "${prefix}/include/*_test.*" "${prefix}/include/*_test_*" "${prefix}/include/*.cpp")
if(strays)
  message(FATAL_ERROR "installed though nobody can use it: ${strays}")
endif()

execute_process(COMMAND ${configure} -B "${work}-unknown" -DCOMPONENTS=cellar
  RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE complaint)
if(status EQUAL 0 OR NOT complaint MATCHES "no component 'cellar'; it has: base")
  message(FATAL_ERROR "asking for a room that does not exist must fail and name the known ones, but gave ${status}: ${complaint}")
endif()
