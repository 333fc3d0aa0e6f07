# What `cmake --install` puts where.
include(GNUInstallDirs)

# Written by the program itself: app/CMakeLists.txt.
set(rwin_written ${PROJECT_BINARY_DIR}/written)

install(TARGETS rwin)
install(FILES ${rwin_written}/rwin.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME rwin)
install(FILES ${rwin_written}/rwin.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(FILES ${rwin_written}/config.toml DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
install(FILES README.md SECURITY.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md" PATTERN "*.json")
# How to write rules of one's own (--rules), with those that are built in as examples.
install(DIRECTORY rules/platforms rules/applications DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples/rules
  FILES_MATCHING PATTERN "*.toml" PATTERN "*.md")
install(FILES rules/fingerprints.toml DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples/rules)

# In the forms or places that a Debian package has in another way.
install(FILES ${rwin_written}/rwin.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT plain)
install(FILES ${rwin_written}/_rwin DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT plain)
install(FILES LICENSE CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT plain)
