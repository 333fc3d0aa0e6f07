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

include(CheckIPOSupported)
check_ipo_supported(RESULT RWIN_HAS_IPO OUTPUT rwin_no_ipo LANGUAGES CXX)

# Control-flow integrity (clang): a call through a pointer goes to a function of the pointer's type, a cast to a derived class meets
# one. It sees the whole program, so everything is compiled for link-time optimisation, and linked by lld. What it must leave
# alone: cfi_ignorelist.txt. Marks for indirect jumps (-fcf-protection=branch) would move the entries of clang 14's tables, so that
# every checked call met a trap; the checks do more than they.
set(RWIN_CFI OFF)
set(rwin_cf_protection -fcf-protection)
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND RWIN_SANITIZE STREQUAL "none" AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang"
   AND RWIN_HAS_IPO)
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_FLAGS "-flto=thin -fvisibility=hidden -fsanitize=cfi-icall,cfi-derived-cast -fuse-ld=lld")
  check_cxx_source_compiles("int main() { return 0; }" RWIN_HAS_CFI)
  unset(CMAKE_REQUIRED_FLAGS)
  set(RWIN_CFI ${RWIN_HAS_CFI})
endif()
if(RWIN_CFI)
  set(rwin_cf_protection -fcf-protection=return)
  set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ON)
  set(rwin_cfi -fsanitize=cfi-icall,cfi-derived-cast)
  target_compile_options(rwin_options INTERFACE -fvisibility=hidden ${rwin_cfi}
    -fsanitize-ignorelist=${CMAKE_CURRENT_LIST_DIR}/cfi_ignorelist.txt)
  target_link_options(rwin_options INTERFACE ${rwin_cfi} -fuse-ld=lld)
endif()

# Hardening of what users run: rwin reads files and packets that strangers made, often as root.
# (Sanitizers and fortified libc calls do not go together.)
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND RWIN_SANITIZE STREQUAL "none")
  set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
  include(CheckCXXCompilerFlag)
  foreach(flag -fstack-protector-strong -fstack-clash-protection ${rwin_cf_protection})
    string(MAKE_C_IDENTIFIER "RWIN_HAS${flag}" known)
    check_cxx_compiler_flag(${flag} ${known})
    if(${known})
      target_compile_options(rwin_options INTERFACE ${flag})
    endif()
  endforeach()
  target_compile_options(rwin_options INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
  target_link_options(rwin_options INTERFACE LINKER:-z,relro,-z,now,-z,noexecstack)
endif()
