# rwin_library(NAME LIBS...): one library made of all .cpp files of the calling folder and the folders below it
# (main.cpp left out), linked PUBLIC with LIBS: they are the arrows of the design. A folder that has only headers
# so far becomes an INTERFACE library.
function(rwin_library name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  if(sources)
    add_library(${name} STATIC ${sources})
    target_link_libraries(${name} PUBLIC rwin_options ${ARGN})
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE rwin_options ${ARGN})
  endif()
endfunction()

# rwin_add_folders(FOLDERS...): those of them that have a CMakeLists.txt.
function(rwin_add_folders)
  foreach(folder IN LISTS ARGN)
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/CMakeLists.txt)
      add_subdirectory(${folder})
    endif()
  endforeach()
endfunction()

# rwin_with(NAME FEATURE SOURCE LIB): where RWIN_WITH_<FEATURE> is on, NAME links LIB and SOURCE sees the macro of that name.
function(rwin_with name feature source library)
  if(RWIN_WITH_${feature})
    target_link_libraries(${name} PRIVATE ${library})
    set_property(SOURCE ${source} APPEND PROPERTY COMPILE_DEFINITIONS RWIN_WITH_${feature})
  endif()
endfunction()

# rwin_cold(NAME): a library whose code runs once, not for every packet. Sanitizer builds compile it without
# optimising, in half the time; fuzzers run it millions of times.
function(rwin_cold name)
  if(NOT RWIN_SANITIZE MATCHES "none|fuzz")
    target_compile_options(${name} PRIVATE -O0)
  endif()
endfunction()

# rwin_hot(NAME): a library whose code runs for every packet. In release it is optimised across its own files.
function(rwin_hot name)
  if(CMAKE_BUILD_TYPE STREQUAL "Release" AND RWIN_SANITIZE STREQUAL "none" AND RWIN_HAS_IPO)
    set_target_properties(${name} PROPERTIES INTERPROCEDURAL_OPTIMIZATION ON)
    target_compile_options(${name} PRIVATE -O3)
  endif()
endfunction()
