# dojima_perfect_hash(TARGET KEYS [NAME name] [LAST_DENOMINATOR n] [DIGITS_ARE_NUMBERS]): searches the smallest perfect
# hash of the keys in the file KEYS, one a line, while the target is built, and writes name.hpp for it (default: the
# file's name), which the target's sources include by that name. Keys that are given twice, and a search without a
# result, fail the build with the reason. The search is made again only when the file changes. Needs the program
# `dojima`: the installed one beside this file, that of this build, or DOJIMA_PROGRAM.
#
#   find_package(dojima CONFIG REQUIRED COMPONENTS fsm)
#   dojima_perfect_hash(mine "order types.txt" NAME order_types)        # #include "order_types.hpp"
#
# Called with -P it is the step of the build that runs the program.

if(CMAKE_SCRIPT_MODE_FILE AND DOJIMA_SEARCH_KEYS)
  set(fresh "${DOJIMA_SEARCH_HEADER}.new")
  execute_process(
    COMMAND "${DOJIMA_SEARCH_PROGRAM}" fsm search --keys "${DOJIMA_SEARCH_KEYS}" --emit header --name "${DOJIMA_SEARCH_NAME}"
      --no-progress ${DOJIMA_SEARCH_OPTIONS}
    OUTPUT_FILE "${fresh}" ERROR_VARIABLE reason RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    file(REMOVE "${fresh}" "${DOJIMA_SEARCH_HEADER}")
    string(STRIP "${reason}" reason)
    message(FATAL_ERROR "dojima_perfect_hash: ${DOJIMA_SEARCH_KEYS}: ${reason} (${status})")
  endif()
  file(RENAME "${fresh}" "${DOJIMA_SEARCH_HEADER}")
  return()
endif()

set(DOJIMA_PERFECT_HASH_SCRIPT "${CMAKE_CURRENT_LIST_FILE}")

function(dojima_perfect_hash TARGET KEYS)
  cmake_parse_arguments(PARSE_ARGV 2 HASH "DIGITS_ARE_NUMBERS" "NAME;LAST_DENOMINATOR" "")
  if(HASH_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "dojima_perfect_hash: it knows NAME, LAST_DENOMINATOR and DIGITS_ARE_NUMBERS, not ${HASH_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT TARGET "${TARGET}")
    message(FATAL_ERROR "dojima_perfect_hash: there is no target ${TARGET}")
  endif()
  cmake_path(ABSOLUTE_PATH KEYS BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
  if(NOT EXISTS "${KEYS}")
    message(FATAL_ERROR "dojima_perfect_hash: there is no file ${KEYS}")
  endif()
  if(NOT HASH_NAME)
    cmake_path(GET KEYS STEM HASH_NAME)
  endif()
  if(NOT HASH_NAME MATCHES "^[a-z][a-z0-9_]*$")
    message(FATAL_ERROR "dojima_perfect_hash: \"${HASH_NAME}\" is no name: it begins with a letter and is in snake_case")
  endif()

  set(program "")
  set(depends "${KEYS}" "${DOJIMA_PERFECT_HASH_SCRIPT}")
  if(DOJIMA_PROGRAM)
    set(program "${DOJIMA_PROGRAM}")
  elseif(TARGET dojima)
    set(program "$<TARGET_FILE:dojima>")
    list(APPEND depends dojima)
  elseif(DOJIMA_INSTALLED_PROGRAM AND EXISTS "${DOJIMA_INSTALLED_PROGRAM}")
    set(program "${DOJIMA_INSTALLED_PROGRAM}")
  else()
    message(FATAL_ERROR "dojima_perfect_hash: the program dojima is not installed beside the libraries; DOJIMA_PROGRAM names another one")
  endif()

  set(options "")
  if(HASH_LAST_DENOMINATOR)
    list(APPEND options --last-denominator "${HASH_LAST_DENOMINATOR}")
  endif()
  if(HASH_DIGITS_ARE_NUMBERS)
    list(APPEND options --digits-are-numbers)
  endif()
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${TARGET}_hashes")
  set(header "${folder}/${HASH_NAME}.hpp")
  file(MAKE_DIRECTORY "${folder}")
  add_custom_command(OUTPUT "${header}"
    COMMAND "${CMAKE_COMMAND}" "-DDOJIMA_SEARCH_PROGRAM=${program}" "-DDOJIMA_SEARCH_KEYS=${KEYS}"
      "-DDOJIMA_SEARCH_HEADER=${header}" "-DDOJIMA_SEARCH_NAME=${HASH_NAME}" "-DDOJIMA_SEARCH_OPTIONS=${options}"
      -P "${DOJIMA_PERFECT_HASH_SCRIPT}"
    DEPENDS ${depends}
    COMMENT "Searching the perfect hash ${HASH_NAME}"
    VERBATIM)
  target_sources(${TARGET} PRIVATE "${header}")
  target_include_directories(${TARGET} PRIVATE "${folder}")
endfunction()
