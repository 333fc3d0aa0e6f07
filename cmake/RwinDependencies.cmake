# Every outside library, looked up once. What each one is for: NOTES.md. Packages: scripts/lib.sh.
#
#   fmt::fmt  CLI11::CLI11  LibArchive::LibArchive
#   PkgConfig::libpcap  PkgConfig::libtins  PkgConfig::tomlplusplus  PkgConfig::ncursesw
#   PkgConfig::libmnl  PkgConfig::libcap-ng  PkgConfig::libseccomp (Linux)
#   with RWIN_TESTS: GTest::gtest_main GTest::gmock nlohmann_json::nlohmann_json

find_package(fmt CONFIG REQUIRED)
find_package(CLI11 CONFIG REQUIRED)

find_package(PkgConfig REQUIRED)
pkg_check_modules(libpcap REQUIRED IMPORTED_TARGET libpcap)
# Its pkg-config file links the compiled library (TOML_HEADER_ONLY=0): 1 s a file instead of 4.5 s.
pkg_check_modules(tomlplusplus REQUIRED IMPORTED_TARGET tomlplusplus)
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  pkg_check_modules(libcap-ng REQUIRED IMPORTED_TARGET libcap-ng)
  pkg_check_modules(libseccomp REQUIRED IMPORTED_TARGET libseccomp)
endif()

# Wide characters. Debian: libncurses-dev.
pkg_check_modules(ncursesw REQUIRED IMPORTED_TARGET ncursesw)

# What rwin can do without; rwin -V tells which ones it has. The tests need all of them.
option(RWIN_WITH_ARCHIVE "Read compressed captures through libarchive" ON)
option(RWIN_WITH_MNL "Ask this host's kernel for its sockets and routes through libmnl (Linux)" ON)
if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
  set(RWIN_WITH_MNL OFF)
endif()
if(RWIN_TESTS OR RWIN_SANITIZE STREQUAL "fuzz")
  pkg_check_modules(libtins REQUIRED IMPORTED_TARGET libtins)
endif()
if(RWIN_WITH_ARCHIVE OR RWIN_TESTS)
  find_package(LibArchive REQUIRED)
endif()
if(RWIN_WITH_MNL)
  pkg_check_modules(libmnl REQUIRED IMPORTED_TARGET libmnl)
endif()

if(RWIN_TESTS)
  find_package(GTest CONFIG REQUIRED)
  find_package(nlohmann_json CONFIG REQUIRED)
endif()
find_package(Python3 REQUIRED COMPONENTS Interpreter)
