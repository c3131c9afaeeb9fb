# Compiler settings shared by everything that is built here.
set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")

find_program(DOJIMA_CCACHE ccache)
if(DOJIMA_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # `cmake -E env` takes ten times as long to start, once for each unit.
  find_program(DOJIMA_ENV env REQUIRED)
  set(CMAKE_CXX_COMPILER_LAUNCHER
    "${DOJIMA_ENV}" "CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}" CCACHE_NOHASHDIR=1 "CCACHE_SLOPPINESS=time_macros,pch_defines"
    # The compiler lists the headers of a unit anyway; preprocessing each unit once more to find them cost a tenth of a cold build.
    CCACHE_DEPEND=1 "${DOJIMA_CCACHE}")
endif()

# A fifth of what GNU ld takes. g++ looks for it under this name only, which Debian keeps in a folder of its own.
option(DOJIMA_LLD "Link with lld where it is there" ON)
find_program(DOJIMA_LLD_PROGRAM ld.lld PATHS /usr/lib/llvm-19/bin)
if(DOJIMA_LLD AND DOJIMA_LLD_PROGRAM)
  get_filename_component(lld_folder "${DOJIMA_LLD_PROGRAM}" DIRECTORY)
  add_link_options(-fuse-ld=lld "-B${lld_folder}")
endif()

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ begins to look for memory that it could use again at 128 MB, which a unit takes for its headers alone: a seventh of its time.
  add_compile_options(--param=ggc-min-heapsize=600000)
endif()

add_library(dojima_options INTERFACE)
target_compile_options(dojima_options INTERFACE
  -Wall -Wextra -Wpedantic -Werror -Wconversion -Wsign-conversion -Wshadow
  # Records name the fields that differ from their defaults; that is what designated initialisers are for.
  -Wno-missing-field-initializers
  -Woverloaded-virtual -Wcast-align -Wimplicit-fallthrough -Wformat=2
  -ffp-contract=off -fno-fast-math)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports these inside its own headers after inlining; clang's checks and the sanitizers cover the ground.
  target_compile_options(dojima_options INTERFACE -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread -Wno-restrict
    -Wno-maybe-uninitialized)
endif()

if(DOJIMA_SANITIZE)
  add_compile_options(-fsanitize=${DOJIMA_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${DOJIMA_SANITIZE})
  add_compile_definitions(DOJIMA_SANITIZED=1)
endif()

option(DOJIMA_SLOW_CHECKS "Keep the costly assertions (DOJIMA_CHECK_SLOW)" OFF)
if(DOJIMA_SLOW_CHECKS)
  add_compile_definitions(DOJIMA_SLOW_CHECKS=1)
endif()

find_package(Threads REQUIRED)
