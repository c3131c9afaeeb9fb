# dojima_build_identity: a small library that says from which sources and with which compiler a program was built
# (dojima/evidence/build_identity.hpp). Only programs link it, so that a changed file does not relink every test. Looked at
# in every build; written only when something changed.
find_package(Python3 COMPONENTS Interpreter REQUIRED)

set(identity "${CMAKE_BINARY_DIR}/build_identity.cpp")
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
add_custom_target(dojima_look_at_sources
  COMMAND "${Python3_EXECUTABLE}" "${CMAKE_SOURCE_DIR}/tools/source_identity.py" --root "${CMAKE_SOURCE_DIR}"
    --output "${identity}" --tool-version "${PROJECT_VERSION}"
    --compiler "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
    "--flags=${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type}}" --build-type "${CMAKE_BUILD_TYPE}"
    "--sanitizers=${DOJIMA_SANITIZE}"
  BYPRODUCTS "${identity}" COMMENT "" VERBATIM)
add_library(dojima_build_identity STATIC "${identity}")
add_dependencies(dojima_build_identity dojima_look_at_sources)
target_link_libraries(dojima_build_identity PRIVATE dojima_evidence dojima_options)
