# `cpack` in the build folder: a Debian package of what `cmake --install` puts in place, in Debian's forms.
find_program(RWIN_GZIP gzip)
find_program(RWIN_DPKG_DEB dpkg-deb)
mark_as_advanced(RWIN_GZIP RWIN_DPKG_DEB)
if(NOT RWIN_GZIP OR NOT RWIN_DPKG_DEB)
  return()
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME rwin)
set(CPACK_PACKAGE_CONTACT "rwin contributors <contributors@rwin.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/packaging/folder_modes.cmake)

# Everything but the component "plain" (RwinInstall.cmake), and "debian" below, which cmake --install leaves out.
set(CPACK_COMPONENTS_ALL Unspecified debian)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Loaded at run time: dpkg-shlibdeps does not see it. 3.3.3 is the first with zstd.
if(RWIN_WITH_ARCHIVE)
  list(GET LibArchive_LIBRARIES 0 file)
  file(REAL_PATH ${file} file)
  execute_process(COMMAND dpkg-query -S ${file} OUTPUT_VARIABLE package ERROR_QUIET)
  if(NOT package MATCHES "^(libarchive[0-9a-z]+)[:,]")
    set(CMAKE_MATCH_1 libarchive13)
  endif()
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "${CMAKE_MATCH_1} (>= 3.3.3)")
endif()
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS libcap2-bin)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "finds what limits a TCP transfer and prints the exact fix")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "rwin watches TCP, live on an interface or in saved captures, and finds what
limits each transfer, above all a receive window that is too small for rate
and round trip. It prints the exact change for the host that has to be
changed: look, change, persist, undo, with the rate to expect. Where the
window is not the limit it says what is.")

file(STRINGS LICENSE licence)
string(REGEX MATCH "[0-9]+ [^;]+" RWIN_COPYRIGHT "${licence}")
set(RWIN_LICENCE)
list(SUBLIST licence 4 -1 licence)  # behind the title and the copyright line
foreach(line IN LISTS licence)
  if(line STREQUAL "")
    set(line ".")
  endif()
  string(APPEND RWIN_LICENCE " ${line}\n")
endforeach()
configure_file(packaging/debian/copyright.in ${rwin_written}/copyright @ONLY)
configure_file(packaging/debian/changelog.in ${rwin_written}/changelog.Debian @ONLY)

# -n: neither name nor time of the file, so that the same sources give the same package.
add_custom_command(
  OUTPUT ${rwin_written}/rwin.1.gz ${rwin_written}/changelog.gz ${rwin_written}/changelog.Debian.gz
  COMMAND ${RWIN_GZIP} -9nc ${rwin_written}/rwin.1 > ${rwin_written}/rwin.1.gz
  COMMAND ${RWIN_GZIP} -9nc ${PROJECT_SOURCE_DIR}/CHANGELOG.md > ${rwin_written}/changelog.gz
  COMMAND ${RWIN_GZIP} -9nc ${rwin_written}/changelog.Debian > ${rwin_written}/changelog.Debian.gz
  DEPENDS ${rwin_written}/rwin.1 rwin_written ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${rwin_written}/changelog.Debian
  VERBATIM)
add_custom_target(rwin_debian ALL DEPENDS ${rwin_written}/rwin.1.gz)

set(debian COMPONENT debian EXCLUDE_FROM_ALL)
install(FILES ${rwin_written}/rwin.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 ${debian})
install(FILES ${rwin_written}/_rwin DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions ${debian})
install(FILES ${rwin_written}/copyright ${rwin_written}/changelog.gz ${rwin_written}/changelog.Debian.gz packaging/debian/README.Debian
  DESTINATION ${CMAKE_INSTALL_DOCDIR} ${debian})

include(CPack)
