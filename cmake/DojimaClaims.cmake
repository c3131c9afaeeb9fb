# The claims of the sources as a text inside the library: nothing has to be found at run time.
set(file "${CMAKE_SOURCE_DIR}/dojima/harness/claims/claims.json")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
file(READ "${file}" DOJIMA_CLAIMS_TEXT)
configure_file(dojima/harness/claims/claims_text.cpp.in "${CMAKE_BINARY_DIR}/claims_text.cpp" @ONLY)
target_sources(dojima_harness PRIVATE "${CMAKE_BINARY_DIR}/claims_text.cpp")
