# rwin_add_tests(FOLDER LIBS...): one executable test_<last part of FOLDER> made of the .cpp files of tests/FOLDER,
# each TEST in it an entry of ctest (under sanitizers each program). Nothing happens while the folder has no *_test.cpp or a library is missing.
# Tests see RWIN_SOURCE_DIR (root of the project) and, where the program is built, RWIN_BINARY (its path).
function(rwin_add_tests folder)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${folder}/*.cpp)
  if(NOT sources MATCHES "_test\\.cpp")
    return()
  endif()
  foreach(library IN LISTS ARGN)
    if(NOT TARGET ${library})
      message(STATUS "tests/${folder} left out: ${library} is not there")
      return()
    endif()
  endforeach()
  get_filename_component(short ${folder} NAME)
  set(name test_${short})
  add_executable(${name} ${sources})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  target_link_libraries(${name} PRIVATE rwin_options ${ARGN} GTest::gmock GTest::gtest_main)
  # -Wno-...: "if (x) EXPECT_..." has an "else" in the macro, of which g++ warns. -O0: the code under test is optimised; the
  # tests themselves compile in two thirds of the time without.
  target_compile_options(${name} PRIVATE -Wno-dangling-else -O0)
  if(TARGET rwin_test_support)
    target_link_libraries(${name} PRIVATE rwin_test_support)
  endif()
  target_compile_definitions(${name} PRIVATE RWIN_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  if(TARGET rwin)
    target_compile_definitions(${name} PRIVATE RWIN_BINARY="$<TARGET_FILE:rwin>")
    add_dependencies(${name} rwin)
  endif()
  if(NOT RWIN_SANITIZE STREQUAL "none")
    # A whole program each: a process that starts under a sanitizer costs more than most tests.
    add_test(NAME ${short} COMMAND ${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${short} PROPERTIES TIMEOUT 1200 LABELS ${short})
    if(short MATCHES "reference|simulator")
      set_tests_properties(${short} PROPERTIES COST 100)  # minutes: first
    endif()
    return()
  endif()
  gtest_discover_tests(${name}
    TEST_PREFIX "${short}."
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT 300 LABELS ${short})
endfunction()
