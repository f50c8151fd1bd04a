# SPDX-FileCopyrightText: 2026 The Tilewise authors
# SPDX-License-Identifier: Apache-2.0
#
# The library as others get it: libtilewise.so (or .a, with BUILD_SHARED_LIBS=OFF), the target
# tilewise::tilewise, and what `cmake --install` puts where. The objects are those of the rooms; of
# some only the files that know nothing but the standard library.

# Here, not in the rooms, so that what the library needs stands in one place.
foreach(room core cpu gemm model kernels_gemm images_gemm device_cuda)
  set_target_properties(tilewise_${room} PROPERTIES
    POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
endforeach()

# The C header names the version, too.
file(STRINGS ${PROJECT_SOURCE_DIR}/include/tilewise/tilewise.h lines REGEX "TW_VERSION_[A-Z]+ [0-9]+$")
string(REGEX MATCHALL "[0-9]+" numbers "${lines}")
list(JOIN numbers "." version)
if(NOT version VERSION_EQUAL PROJECT_VERSION)
  message(FATAL_ERROR "include/tilewise/tilewise.h: TW_VERSION_* say ${version}, the project "
                      "${PROJECT_VERSION}: expected the same")
endif()

set(TILEWISE_IS_SHARED ON)
set(type SHARED)
if(DEFINED BUILD_SHARED_LIBS AND NOT BUILD_SHARED_LIBS)
  set(TILEWISE_IS_SHARED OFF)
  set(type STATIC)
endif()
function(tilewise_files_pattern out)
  list(JOIN ARGN "|" pattern)
  string(REPLACE "." "[.]" pattern "${pattern}")
  set(${out} "/(${pattern})[.]o" PARENT_SCOPE)
endfunction()
tilewise_files_pattern(core_files ${TILEWISE_CORE_LIBRARY_FILES})
tilewise_files_pattern(model_files ${TILEWISE_MODEL_LIBRARY_FILES})

add_library(tilewise_library ${type}
  "$<FILTER:$<TARGET_OBJECTS:tilewise_core>,INCLUDE,${core_files}>"
  "$<FILTER:$<TARGET_OBJECTS:tilewise_model>,INCLUDE,${model_files}>"
  $<TARGET_OBJECTS:tilewise_kernels_gemm> $<TARGET_OBJECTS:tilewise_images_gemm>
  $<TARGET_OBJECTS:tilewise_device_cuda>
  $<TARGET_OBJECTS:tilewise_cpu> $<TARGET_OBJECTS:tilewise_gemm>)
add_library(tilewise::tilewise ALIAS tilewise_library)
set_target_properties(tilewise_library PROPERTIES
  OUTPUT_NAME tilewise EXPORT_NAME tilewise LINKER_LANGUAGE CXX
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib
  ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
target_compile_features(tilewise_library INTERFACE cxx_std_20)
target_include_directories(tilewise_library INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
target_link_libraries(tilewise_library PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
if(TILEWISE_IS_SHARED)
  set(exports ${PROJECT_SOURCE_DIR}/cmake/exports.map)
  # nodelete: the threads of a context go on after dlclose().
  target_link_options(tilewise_library PRIVATE
    -Wl,--version-script=${exports} -Wl,-z,nodelete -Wl,--as-needed)
  set_target_properties(tilewise_library PROPERTIES LINK_DEPENDS ${exports})
endif()
if(TILEWISE_SANITIZE)
  target_link_options(tilewise_library PUBLIC -fsanitize=${TILEWISE_SANITIZE})
elseif(TILEWISE_IS_SHARED)
  target_link_options(tilewise_library PRIVATE -Wl,--no-undefined)
endif()

if(NOT TILEWISE_INSTALL)
  return()
endif()

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# Components: the library to run programs, its development files, and the tools.
install(TARGETS tilewise_library EXPORT tilewise_targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT tilewise_library
          NAMELINK_COMPONENT tilewise_development
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT tilewise_development
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tilewise DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT tilewise_development)
if(TARGET tilewise_blas_door)  # not in the CMake package: programs preload it, or link it by its name
  install(TARGETS tilewise_blas_door LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT tilewise_library)
endif()
if(TARGET tilewise)
  install(TARGETS tilewise RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tilewise_tools)
endif()

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/tilewise)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/tilewise-config.cmake.in
  ${PROJECT_BINARY_DIR}/package/tilewise-config.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/tilewise-config-version.cmake
  COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/package/tilewise-config.cmake
  ${PROJECT_BINARY_DIR}/package/tilewise-config-version.cmake
  DESTINATION ${package_folder} COMPONENT tilewise_development)
install(EXPORT tilewise_targets NAMESPACE tilewise:: FILE tilewise-targets.cmake
  DESTINATION ${package_folder} COMPONENT tilewise_development)

# tilewise.pc finds its folders from its own place, unless an absolute path was asked for.
function(tilewise_pc_folder name folder)
  if(IS_ABSOLUTE ${folder})
    set(${name} ${folder} PARENT_SCOPE)
  else()
    set(${name} "\${prefix}/${folder}" PARENT_SCOPE)
  endif()
endfunction()
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
  set(TILEWISE_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
else()
  file(RELATIVE_PATH up /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
  string(REGEX REPLACE "/$" "" up "${up}")
  set(TILEWISE_PC_PREFIX "\${pcfiledir}/${up}")
endif()
tilewise_pc_folder(TILEWISE_PC_INCLUDEDIR ${CMAKE_INSTALL_INCLUDEDIR})
tilewise_pc_folder(TILEWISE_PC_LIBDIR ${CMAKE_INSTALL_LIBDIR})
# A program in C must be told what an archive of C++ needs; a shared library knows it itself.
set(TILEWISE_PC_STATIC_LIBS "")
if(NOT TILEWISE_IS_SHARED)
  set(TILEWISE_PC_STATIC_LIBS " -lstdc++ -lm -pthread")
endif()
configure_file(${PROJECT_SOURCE_DIR}/cmake/tilewise.pc.in ${PROJECT_BINARY_DIR}/package/tilewise.pc
  @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/package/tilewise.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT tilewise_development)
