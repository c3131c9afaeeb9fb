# libmd, the digests of the BSDs: libmd::libmd. Debian's package describes it to pkg-config only. Installed beside the package's files,
# for those who link rooms that stand on it.
find_path(DOJIMA_LIBMD_INCLUDE sha256.h)
find_library(DOJIMA_LIBMD_LIBRARY md)
mark_as_advanced(DOJIMA_LIBMD_INCLUDE DOJIMA_LIBMD_LIBRARY)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(libmd REQUIRED_VARS DOJIMA_LIBMD_LIBRARY DOJIMA_LIBMD_INCLUDE)
if(libmd_FOUND AND NOT TARGET libmd::libmd)
  add_library(libmd::libmd INTERFACE IMPORTED)
  set_target_properties(libmd::libmd PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${DOJIMA_LIBMD_INCLUDE}" INTERFACE_LINK_LIBRARIES "${DOJIMA_LIBMD_LIBRARY}")
endif()
