# Everything comes from Debian 12 by package name; tools/packages.txt lists the packages.
find_path(DOJIMA_BOOST_INCLUDE boost/asio.hpp REQUIRED)
add_library(dojima_boost_headers INTERFACE)
add_library(Boost::headers ALIAS dojima_boost_headers)
target_include_directories(dojima_boost_headers SYSTEM INTERFACE "$<BUILD_INTERFACE:${DOJIMA_BOOST_INCLUDE}>")
target_compile_definitions(dojima_boost_headers INTERFACE BOOST_ASIO_NO_DEPRECATED)

# Debian's package describes the C library only; the C++ template is a header of its own.
find_path(DOJIMA_KISSFFT_INCLUDE kissfft/kissfft.hh REQUIRED)
add_library(dojima_kissfft_headers INTERFACE)
add_library(kissfft::headers ALIAS dojima_kissfft_headers)
target_include_directories(dojima_kissfft_headers SYSTEM INTERFACE "$<BUILD_INTERFACE:${DOJIMA_KISSFFT_INCLUDE}>")

# Debian's package describes libedit to pkg-config only.
find_path(DOJIMA_LIBEDIT_INCLUDE histedit.h REQUIRED)
find_library(DOJIMA_LIBEDIT_LIBRARY edit REQUIRED)
add_library(dojima_libedit INTERFACE)
add_library(libedit::libedit ALIAS dojima_libedit)
target_include_directories(dojima_libedit SYSTEM INTERFACE "${DOJIMA_LIBEDIT_INCLUDE}")
target_link_libraries(dojima_libedit INTERFACE "${DOJIMA_LIBEDIT_LIBRARY}")

find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(CLI11 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(pugixml REQUIRED)
find_package(date REQUIRED)
find_package(LibLZMA REQUIRED)
find_package(zstd REQUIRED)
find_package(libmd REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto SSL)

# Targets that a room's sources see as headers only: nothing is left of them to link once a room is built.
set(DOJIMA_HEADER_ONLY Boost::headers kissfft::headers spdlog::spdlog_header_only nlohmann_json::nlohmann_json CLI11::CLI11)

if(DOJIMA_BUILD_TESTS)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
  include(GoogleTest)
  add_library(dojima_test_support INTERFACE)
  # Where golden files and generated pages lie (dojima/base/source_folder_test_support.hpp).
  file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/source_folder.cpp" @ONLY CONTENT
    "#include \"dojima/base/source_folder_test_support.hpp\"\n\nstd::string dojima::source_folder() { return \"@CMAKE_SOURCE_DIR@\"; }\n")
  add_library(dojima_source_folder STATIC "${CMAKE_BINARY_DIR}/source_folder.cpp")
  target_include_directories(dojima_source_folder PRIVATE "${CMAKE_SOURCE_DIR}")
  target_compile_features(dojima_source_folder PRIVATE cxx_std_23)
  target_link_libraries(dojima_test_support INTERFACE dojima_source_folder GTest::gtest_main GTest::gmock rapidcheck
    Threads::Threads)

  # The headers that nearly every test includes, compiled once for all tests that are not optimised, and once for those that are
  # (dojima_test).
  file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/test_headers.cpp" CONTENT "" @ONLY)
  foreach(kind plain optimised)
    set(headers dojima_test_headers_${kind})
    add_executable(${headers} EXCLUDE_FROM_ALL "${CMAKE_BINARY_DIR}/test_headers.cpp")
    target_link_libraries(${headers} PRIVATE dojima_options dojima_test_support)
    target_include_directories(${headers} PRIVATE "${CMAKE_SOURCE_DIR}")
    target_compile_features(${headers} PRIVATE cxx_std_23)
    target_compile_options(${headers} PRIVATE ${DOJIMA_TEST_COMPILE_${kind}})
    target_link_options(${headers} PRIVATE ${DOJIMA_TEST_LINK_${kind}})
    if(DOJIMA_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
      target_compile_options(${headers} PRIVATE "-fsanitize-ignorelist=${CMAKE_SOURCE_DIR}/cmake/test_libraries.ignorelist")
    endif()
    if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
      # ccache compares contents, not times.
      target_compile_options(${headers} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
    endif()
    target_precompile_headers(${headers} PRIVATE <gtest/gtest.h> <rapidcheck/gtest.h> <algorithm> <array> <atomic> <bitset> <chrono>
      <cmath> <cstdint> <cstring> <deque> <expected> <filesystem> <fstream> <functional> <limits> <map> <memory> <mutex> <optional>
      <set> <span> <string> <string_view> <thread> <unordered_map> <unordered_set> <utility> <variant> <vector>)
  endforeach()
endif()
