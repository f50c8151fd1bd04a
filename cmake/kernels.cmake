# SPDX-FileCopyrightText: 2026 The Tilewise authors
# SPDX-License-Identifier: Apache-2.0
#
# Compiles CUDA kernels and embeds them: for each .cu file and architecture, nvcc makes PTX, ptxas
# makes a cubin of exactly that PTX, and both become bytes of the library (through .incbin).
# Without nvcc the library has no images; everything else still builds.

set(TILEWISE_KERNEL_ARCHITECTURES 80 90a)

include(${CMAKE_CURRENT_LIST_DIR}/nvcc.cmake)

set(TILEWISE_NVCC "")
if(NOT TILEWISE_CUDA STREQUAL "OFF")
  tilewise_find_nvcc(${PROJECT_SOURCE_DIR})
  if(TILEWISE_NVCC_FOUND)
    set(TILEWISE_NVCC ${TILEWISE_NVCC_FOUND})
    cmake_path(GET TILEWISE_NVCC PARENT_PATH nvcc_folder)
    # Not cached: it must always be the ptxas beside the nvcc in use.
    find_program(TILEWISE_PTXAS ptxas HINTS ${nvcc_folder} REQUIRED NO_CACHE)
    message(STATUS "CUDA kernels: compiled by ${TILEWISE_NVCC}")
  elseif(TILEWISE_CUDA STREQUAL "ON")
    message(FATAL_ERROR "TILEWISE_CUDA=ON, but nvcc was not found: put it on PATH, set CUDA_HOME, or "
                        "run scripts/setup.sh, which installs it into .cuda/")
  else()
    set(words "nvcc was not found: this build has no GPU kernels. Run scripts/setup.sh, which "
              "installs nvcc into .cuda/, and configure again.")
    if(TILEWISE_TOOLS)
      message(WARNING ${words})
    else()
      message(STATUS ${words})
    endif()
  endif()
endif()

option(TILEWISE_LINE_INFO "Lines of source in the machine code of the library's kernels, for profilers" OFF)

# tilewise_make_ptx(SOURCE ARCHITECTURE OUT_PTX): with lines of source.
function(tilewise_make_ptx source architecture out_ptx)
  cmake_path(GET source STEM stem)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/images)
  file(MAKE_DIRECTORY ${folder})
  set(ptx ${folder}/${stem}.sm_${architecture}.ptx)
  # Line information must hold no machine's paths, but nvcc makes every path absolute: sed makes those
  # of the project relative to it again.
  file(REAL_PATH ${PROJECT_SOURCE_DIR} project)
  add_custom_command(OUTPUT ${ptx}
    COMMAND ${TILEWISE_NVCC} -std=c++20 -O3 -lineinfo -ptx -arch=compute_${architecture}
            -I${PROJECT_SOURCE_DIR}/src -MD -MF ${ptx}.d -MT ${ptx} ${source} -o ${ptx}
    COMMAND sed -i "/^[[:space:]]*\\.file[[:space:]]/s|\"${project}/|\"|" ${ptx}
    DEPENDS ${source} DEPFILE ${ptx}.d VERBATIM
    COMMENT "PTX   ${stem} sm_${architecture}")
  set(${out_ptx} ${ptx} PARENT_SCOPE)
endfunction()

# tilewise_make_cubin(SOURCE PTX ARCHITECTURE OUT_CUBIN): beside the PTX, with lines of source where that has them. The
# source's property TILEWISE_PTXAS_LEVEL says how much ptxas optimises, where that is not 3.
function(tilewise_make_cubin source ptx architecture out_cubin)
  get_source_file_property(level ${source} TILEWISE_PTXAS_LEVEL)
  if(NOT level)
    set(level 3)
  endif()
  cmake_path(REPLACE_EXTENSION ptx LAST_ONLY cubin OUTPUT_VARIABLE cubin)
  cmake_path(GET ptx STEM stem)
  add_custom_command(OUTPUT ${cubin}
    COMMAND ${TILEWISE_PTXAS} -O${level} -arch=sm_${architecture} ${ptx} -o ${cubin}
    DEPENDS ${ptx} VERBATIM
    COMMENT "cubin ${stem} sm_${architecture}")
  set(${out_cubin} ${cubin} PARENT_SCOPE)
endfunction()

# A source's property TILEWISE_ARCHITECTURES names the architectures it is compiled for, where these are not all;
# without nvcc there are none.
function(tilewise_architectures_of source out)
  get_source_file_property(architectures ${source} TILEWISE_ARCHITECTURES)
  if(NOT architectures)
    set(architectures ${TILEWISE_KERNEL_ARCHITECTURES})
  endif()
  if(NOT TILEWISE_NVCC)
    set(architectures "")
  endif()
  set(${out} ${architectures} PARENT_SCOPE)
endfunction()

# tilewise_compile_kernels(OUT SOURCES...): the images of the sources, as STEM|ARCHITECTURE|PTX|CUBIN|DIGEST, of
# which these have no digest.
function(tilewise_compile_kernels out)
  set(images "")
  foreach(source ${ARGN})
    cmake_path(GET source STEM stem)
    tilewise_architectures_of(${source} architectures)
    foreach(architecture ${architectures})
      tilewise_make_ptx(${source} ${architecture} ptx)
      tilewise_make_cubin(${source} ${ptx} ${architecture} cubin)
      list(APPEND images "${stem}|${architecture}|${ptx}|${cubin}|")
    endforeach()
  endforeach()
  set(${out} ${images} PARENT_SCOPE)
endfunction()

# tilewise_compile_library_kernels(OUT OUT_WITH_SOURCE SOURCES...): OUT are images without what a GPU does not need:
# lines of source, and PTX where machine code is all that such a GPU can run (sm_90a). OUT_WITH_SOURCE has PTX with
# lines, for the virtual GPU. Machine code and digest, a file that is another for other code, are the same.
function(tilewise_compile_library_kernels out out_with_source)
  set(images "")
  set(images_with_source "")
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/images/stripped)
  file(MAKE_DIRECTORY ${folder})
  set(tab "[[:space:]]*")
  string(CONCAT lines "/^${tab}[.]loc[[:space:]]/d;/^${tab}[.]file[[:space:]]/d;"
                      "/^${tab}[.]section[[:space:]]/,/^${tab}}/d")
  foreach(source ${ARGN})
    cmake_path(GET source STEM stem)
    tilewise_architectures_of(${source} architectures)
    foreach(architecture ${architectures})
      tilewise_make_ptx(${source} ${architecture} ptx)
      cmake_path(GET ptx FILENAME name)
      set(digest ${folder}/${name}.sha256)
      add_custom_command(OUTPUT ${folder}/${name} ${digest}
        COMMAND sed "${lines}" ${ptx} > ${name}
        COMMAND ${CMAKE_COMMAND} -E sha256sum ${name} > ${digest}
        WORKING_DIRECTORY ${folder} DEPENDS ${ptx} VERBATIM)
      if(TILEWISE_LINE_INFO)
        tilewise_make_cubin(${source} ${ptx} ${architecture} cubin)
      else()
        tilewise_make_cubin(${source} ${folder}/${name} ${architecture} cubin)
      endif()
      set(needed_ptx ${folder}/${name})
      if(architecture MATCHES "a$")
        set(needed_ptx "")
      endif()
      list(APPEND images "${stem}|${architecture}|${needed_ptx}|${cubin}|${digest}")
      list(APPEND images_with_source "${stem}|${architecture}|${ptx}|${cubin}|${digest}")
    endforeach()
  endforeach()
  set(${out} ${images} PARENT_SCOPE)
  set(${out_with_source} ${images_with_source} PARENT_SCOPE)
endfunction()

# tilewise_embed_images(TARGET TABLE IMAGES...): adds the images and their table, which the function
# kernels::TABLE() returns, to TARGET.
function(tilewise_embed_images target table_name)
  set(assembly "// Generated by cmake/kernels.cmake.\n.section .rodata\n")
  set(declarations "")
  set(entries "")
  set(files "")
  set(index 0)
  foreach(image ${ARGN})
    string(REPLACE "|" ";" image "${image}")
    list(GET image 0 stem)
    list(GET image 1 architecture)
    list(GET image 2 ptx)
    list(GET image 3 cubin)
    list(GET image 4 digest)
    set(symbol ${target}_${index})
    foreach(part ptx cubin digest)
      set(bytes "")
      if(${part})
        list(APPEND files ${${part}})
        set(bytes ".incbin \"${${part}}\"")
      endif()
      set(type char)
      if("${part}" STREQUAL "cubin")  # quoted, or it would be the variable
        set(type std::byte)
      endif()
      string(APPEND assembly ".balign 16\n.globl ${symbol}_${part}, ${symbol}_${part}_end\n"
                             "${symbol}_${part}: ${bytes}\n${symbol}_${part}_end: .byte 0\n")
      string(APPEND declarations "extern const ${type} ${symbol}_${part}[], ${symbol}_${part}_end[];\n")
    endforeach()
    string(APPEND entries
      "    {\"${stem}\", \"sm_${architecture}\", {${symbol}_ptx, ${symbol}_ptx_end},\n"
      "     {${symbol}_cubin, ${symbol}_cubin_end}, {${symbol}_digest, ${symbol}_digest_end}},\n")
    math(EXPR index "${index} + 1")
  endforeach()
  string(APPEND assembly ".section .note.GNU-stack,\"\",@progbits\n")
  string(CONCAT table  # not set(): it would make a list of the pieces between semicolons
    "// Generated by cmake/kernels.cmake.\n#include <vector>\n#include \"kernels/images.hpp\"\n"
    "extern \"C\" {\n${declarations}}\n"
    "namespace tilewise::kernels {\n"
    "std::span<const KernelImage> ${table_name}() {\n"
    "  static const std::vector<KernelImage> all{\n${entries}  };\n  return all;\n}\n"
    "}  // namespace tilewise::kernels\n")
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/${target}_table)
  file(CONFIGURE OUTPUT ${generated}.cpp CONTENT "${table}" @ONLY)
  target_sources(${target} PRIVATE ${generated}.cpp)
  if(files)
    file(CONFIGURE OUTPUT ${generated}.S CONTENT "${assembly}" @ONLY)
    set_source_files_properties(${generated}.S PROPERTIES OBJECT_DEPENDS "${files}")
    target_sources(${target} PRIVATE ${generated}.S)
  endif()
endfunction()
