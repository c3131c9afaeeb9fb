# Installation: `find_package(dojima COMPONENTS sched market)` gives dojima::sched and dojima::market, one component a
# room. Every room has an export set of its own, so that nobody needs fmt to use the scheduler. What is installed has two
# components for packages (tools/package.py): `program`, and `development` with libraries, headers and these files.
include(CMakePackageConfigHelpers)

set(DOJIMA_INSTALL_CMAKE "${CMAKE_INSTALL_LIBDIR}/cmake/dojima")
get_property(rooms GLOBAL PROPERTY DOJIMA_ROOMS)
set(DOJIMA_ROOM_TABLE "")
# All that is installed, and no tests.
add_custom_target(installed)

foreach(room IN LISTS rooms)
  get_property(parts GLOBAL PROPERTY DOJIMA_ROOM_PARTS_${room})
  set(linking "")  # a part that links packages is a component of its own
  foreach(part IN LISTS parts)
    get_property(linked GLOBAL PROPERTY DOJIMA_PART_PRIVATE_${room}_${part})
    if(linked)
      list(APPEND linking ${part})
      list(REMOVE_ITEM parts ${part})
    endif()
  endforeach()
  list(TRANSFORM parts PREPEND dojima_${room}_)
  add_dependencies(installed dojima_${room} ${parts})
  install(TARGETS dojima_${room} ${parts} EXPORT dojima-${room}
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development
    INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
  install(EXPORT dojima-${room} NAMESPACE dojima:: DESTINATION "${DOJIMA_INSTALL_CMAKE}" COMPONENT development)
  install(DIRECTORY "${CMAKE_SOURCE_DIR}/dojima/${room}" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/dojima" COMPONENT development
    FILES_MATCHING PATTERN "*.hpp" PATTERN "*_test*" EXCLUDE)

  # Packages whose libraries the room's archive needs at link time: the part of the target's name before the colons.
  get_property(linked GLOBAL PROPERTY DOJIMA_ROOM_PRIVATE_${room})
  list(REMOVE_ITEM linked ${DOJIMA_HEADER_ONLY})
  list(TRANSFORM linked REPLACE "::.*$" "")
  list(REMOVE_DUPLICATES linked)
  get_property(depends GLOBAL PROPERTY DOJIMA_ROOM_DEPENDS_${room})
  string(APPEND DOJIMA_ROOM_TABLE
    "set(_dojima_depends_${room} ${depends})\nset(_dojima_packages_${room} ${linked})\n")

  foreach(part IN LISTS linking)
    add_dependencies(installed dojima_${room}_${part})
    install(TARGETS dojima_${room}_${part} EXPORT dojima-${room}_${part}
      ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development
      INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
    install(EXPORT dojima-${room}_${part} NAMESPACE dojima:: DESTINATION "${DOJIMA_INSTALL_CMAKE}" COMPONENT development)
    get_property(linked GLOBAL PROPERTY DOJIMA_PART_PRIVATE_${room}_${part})
    list(TRANSFORM linked REPLACE "::.*$" "")
    list(REMOVE_DUPLICATES linked)
    string(APPEND DOJIMA_ROOM_TABLE "set(_dojima_depends_${room}_${part} ${room} ${depends})\n"
      "set(_dojima_packages_${room}_${part} ${linked})\n")
  endforeach()
endforeach()

get_property(components GLOBAL PROPERTY DOJIMA_COMPONENTS)
list(JOIN components " " DOJIMA_ROOM_NAMES)
set(DOJIMA_INSTALL_BIN "${CMAKE_INSTALL_BINDIR}")
configure_package_config_file("${CMAKE_SOURCE_DIR}/cmake/dojimaConfig.cmake.in" "${CMAKE_BINARY_DIR}/dojimaConfig.cmake"
  INSTALL_DESTINATION "${DOJIMA_INSTALL_CMAKE}" PATH_VARS DOJIMA_INSTALL_BIN NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${CMAKE_BINARY_DIR}/dojimaConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_BINARY_DIR}/dojimaConfig.cmake" "${CMAKE_BINARY_DIR}/dojimaConfigVersion.cmake"
  "${CMAKE_SOURCE_DIR}/cmake/DojimaPerfectHash.cmake" "${CMAKE_SOURCE_DIR}/cmake/Findlibmd.cmake"
  DESTINATION "${DOJIMA_INSTALL_CMAKE}" COMPONENT development)

# cli calls its program target `dojima`; the library rooms are usable before there is one.
if(TARGET dojima)
  add_dependencies(installed dojima)
  install(TARGETS dojima RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT program)
endif()
install(FILES "${CMAKE_SOURCE_DIR}/LICENSE" "${CMAKE_SOURCE_DIR}/NOTICE" DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT program)
