# rwin_options: what every target of the project is compiled with. Link it PUBLIC.

set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug or RelWithDebInfo" FORCE)
endif()

if(RWIN_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(RWIN_CCACHE_PROGRAM ccache)
  mark_as_advanced(RWIN_CCACHE_PROGRAM)
  if(RWIN_CCACHE_PROGRAM)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${RWIN_CCACHE_PROGRAM})
  endif()
endif()

include(CheckPIESupported)
check_pie_supported(LANGUAGES CXX)

add_library(rwin_options INTERFACE)
target_compile_features(rwin_options INTERFACE cxx_std_20)
set(CMAKE_CXX_EXTENSIONS OFF)
target_include_directories(rwin_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_definitions(rwin_options INTERFACE _GLIBCXX_ASSERTIONS)
target_compile_options(rwin_options INTERFACE -Wall -Wextra -Wshadow)
if(CMAKE_UNITY_BUILD)
  # g++ takes a source file that another one includes for a header.
  target_compile_options(rwin_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endif()
if(RWIN_WERROR)
  target_compile_options(rwin_options INTERFACE -Werror)
endif()

# Sanitizers. -fno-sanitize-recover: UBSan alone would print and exit 0.
if(RWIN_SANITIZE STREQUAL "asan")
  set(rwin_sanitize -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
elseif(RWIN_SANITIZE STREQUAL "tsan")
  set(rwin_sanitize -fsanitize=thread -fno-omit-frame-pointer)
elseif(RWIN_SANITIZE STREQUAL "fuzz")
  # no-link: only fuzz targets get libFuzzer's main; they add -fsanitize=fuzzer when linking.
  set(rwin_sanitize -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
                    -fno-omit-frame-pointer)
  target_compile_definitions(rwin_options INTERFACE RWIN_SMALL_READS)
elseif(RWIN_SANITIZE STREQUAL "none")
  set(rwin_sanitize)
else()
  message(FATAL_ERROR "RWIN_SANITIZE is '${RWIN_SANITIZE}': use none, asan, tsan or fuzz")
endif()
if(rwin_sanitize)
  target_compile_options(rwin_options INTERFACE ${rwin_sanitize})
  target_link_options(rwin_options INTERFACE ${rwin_sanitize})
endif()

# Hardening of what users run: rwin reads files and packets that strangers made, often as root.
# (Sanitizers and fortified libc calls do not go together.)
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND RWIN_SANITIZE STREQUAL "none")
  set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
  include(CheckCXXCompilerFlag)
  foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection)
    string(MAKE_C_IDENTIFIER "RWIN_HAS${flag}" known)
    check_cxx_compiler_flag(${flag} ${known})
    if(${known})
      target_compile_options(rwin_options INTERFACE ${flag})
    endif()
  endforeach()
  target_compile_options(rwin_options INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
  target_link_options(rwin_options INTERFACE LINKER:-z,relro,-z,now,-z,noexecstack)
endif()

include(CheckIPOSupported)
check_ipo_supported(RESULT RWIN_HAS_IPO OUTPUT rwin_no_ipo LANGUAGES CXX)
