# SPDX-FileCopyrightText: 2026 The Tilewise authors
# SPDX-License-Identifier: Apache-2.0
#
# What every target is compiled with, and tilewise_room(): one static library a room of src/.

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

# Not for those who only use Tilewise: they may have another compiler.
option(TILEWISE_WARNINGS_ARE_ERRORS "Compile with -Werror" ${PROJECT_IS_TOP_LEVEL})

add_library(tilewise_options INTERFACE)
target_compile_features(tilewise_options INTERFACE cxx_std_20)
# -ffp-contract=off: the virtual GPU and the references must not fuse what the program does not fuse.
target_compile_options(tilewise_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
  $<$<BOOL:${TILEWISE_WARNINGS_ARE_ERRORS}>:-Werror>
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>  # false alarms of g++ 12 on string concatenation
  -ffp-contract=off -fno-math-errno)
target_include_directories(tilewise_options INTERFACE
  ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
if(TILEWISE_SANITIZE)
  target_compile_options(tilewise_options INTERFACE
    -fsanitize=${TILEWISE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)  # instrumented library code raises it without reason (GCC bug 105562)
  target_link_options(tilewise_options INTERFACE -fsanitize=${TILEWISE_SANITIZE})
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

# tilewise_compile_quickly(TARGET): for what seldom runs, or waits for others. g++ spends a quarter to three fifths of its
# time on optimisations beyond -O1 there.
function(tilewise_compile_quickly target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# tilewise_room(NAME LINKS...): the library tilewise_NAME of all .cpp files below the current folder.
# LINKS say whom the room may know (docs: shared rules of the house in docs/house.md).
function(tilewise_room name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  add_library(tilewise_${name} STATIC ${sources})
  target_link_libraries(tilewise_${name} PUBLIC tilewise_options ${ARGN})
endfunction()

# tilewise_test(NAME LINKS...): the test program of the .cpp files of the current folder.
function(tilewise_test name)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  add_executable(${name}_test ${sources})
  target_link_libraries(${name}_test PRIVATE ${ARGN} GTest::gtest_main)
  tilewise_compile_quickly(${name}_test)
  target_compile_definitions(${name}_test PRIVATE
    TILEWISE_TESTS_DIR="${PROJECT_SOURCE_DIR}/tests"
    TILEWISE_BINARY="$<TARGET_FILE:tilewise>")
  gtest_discover_tests(${name}_test NO_PRETTY_VALUES DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 600)
endfunction()
