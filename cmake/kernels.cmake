# SPDX-FileCopyrightText: 2026 The Tilewise authors
# SPDX-License-Identifier: Apache-2.0
#
# Compiles CUDA kernels and embeds them: for each .cu file and architecture, nvcc makes PTX, ptxas makes a cubin of exactly
# that PTX, and what src/kernels/images.hpp says becomes bytes of the library and of the programs (through .incbin): a
# fatbin for drivers, and for the virtual GPU both files, all compressed. Without nvcc the library has no images;
# everything else still builds.

set(TILEWISE_KERNEL_ARCHITECTURES 80 90a)

include(${CMAKE_CURRENT_LIST_DIR}/nvcc.cmake)

set(TILEWISE_NVCC "")
if(NOT TILEWISE_CUDA STREQUAL "OFF")
  tilewise_find_nvcc(${PROJECT_SOURCE_DIR})
  if(TILEWISE_NVCC_FOUND)
    set(TILEWISE_NVCC ${TILEWISE_NVCC_FOUND})
    cmake_path(GET TILEWISE_NVCC PARENT_PATH nvcc_folder)
    # Not cached: they must always be those beside the nvcc in use.
    find_program(TILEWISE_PTXAS ptxas HINTS ${nvcc_folder} REQUIRED NO_CACHE)
    find_program(TILEWISE_FATBINARY fatbinary HINTS ${nvcc_folder} REQUIRED NO_CACHE)
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
if(TILEWISE_NVCC AND TILEWISE_TOOLS)
  find_program(TILEWISE_ZSTD zstd REQUIRED)
endif()

# tilewise_make_ptx(SOURCE ARCHITECTURE OUT_PTX): with lines of source, where somebody reads them. They take a third of the
# compiler's time, and change nothing else.
function(tilewise_make_ptx source architecture out_ptx)
  cmake_path(GET source STEM stem)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/images)
  file(MAKE_DIRECTORY ${folder})
  set(ptx ${folder}/${stem}.sm_${architecture}.ptx)
  # Line information must hold no machine's paths, but nvcc makes every path absolute: sed makes those
  # of the project relative to it again.
  file(REAL_PATH ${PROJECT_SOURCE_DIR} project)
  set(lines "")
  if(TILEWISE_TOOLS OR TILEWISE_LINE_INFO)
    set(lines -lineinfo)
  endif()
  add_custom_command(OUTPUT ${ptx}
    COMMAND ${TILEWISE_NVCC} -std=c++20 -O3 ${lines} -ptx -arch=compute_${architecture}
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

# tilewise_make_fatbin(CUBIN PTX ARCHITECTURE OUT_FATBIN): what a driver loads. With the PTX where the driver of a later GPU
# can compile it: not that of an architecture with a letter.
function(tilewise_make_fatbin cubin ptx architecture out_fatbin)
  cmake_path(REPLACE_EXTENSION cubin LAST_ONLY fatbin OUTPUT_VARIABLE fatbin)
  cmake_path(GET cubin STEM stem)
  set(images --image3=kind=elf,sm=${architecture},file=${cubin})
  if(NOT architecture MATCHES "[a-z]$")
    list(APPEND images --image3=kind=ptx,sm=${architecture},file=${ptx})
  endif()
  add_custom_command(OUTPUT ${fatbin}
    COMMAND ${TILEWISE_FATBINARY} --64 --create=${fatbin} --compress-mode=size ${images}
    DEPENDS ${cubin} ${ptx} VERBATIM
    COMMENT "fatbin ${stem} sm_${architecture}")
  set(${out_fatbin} ${fatbin} PARENT_SCOPE)
endfunction()

# tilewise_pack(FILE OUT_PACKED): by zstd, for programs.
function(tilewise_pack file out_packed)
  cmake_path(GET file FILENAME name)
  add_custom_command(OUTPUT ${file}.zst
    COMMAND ${TILEWISE_ZSTD} -q -f -9 ${file} -o ${file}.zst DEPENDS ${file} VERBATIM
    COMMENT "zstd  ${name}")
  set(${out_packed} ${file}.zst PARENT_SCOPE)
endfunction()

# tilewise_compile_kernels(OUT SOURCES...): the images of the sources, for programs, as
# STEM|ARCHITECTURE|FATBIN|DIGEST|PTX|CUBIN, the last two packed. These have no digest.
function(tilewise_compile_kernels out)
  set(images "")
  foreach(source ${ARGN})
    cmake_path(GET source STEM stem)
    tilewise_architectures_of(${source} architectures)
    foreach(architecture ${architectures})
      tilewise_make_ptx(${source} ${architecture} ptx)
      tilewise_make_cubin(${source} ${ptx} ${architecture} cubin)
      tilewise_make_fatbin(${cubin} ${ptx} ${architecture} fatbin)
      tilewise_pack(${ptx} packed_ptx)
      tilewise_pack(${cubin} packed_cubin)
      list(APPEND images "${stem}|${architecture}|${fatbin}||${packed_ptx}|${packed_cubin}")
    endforeach()
  endforeach()
  set(${out} ${images} PARENT_SCOPE)
endfunction()

# tilewise_compile_library_kernels(OUT OUT_WITH_LISTING SOURCES...): OUT are images for drivers alone, without lines of
# source; OUT_WITH_LISTING have what the virtual GPU reads, too. Machine code and digest, a file that is another for other
# code, are the same.
function(tilewise_compile_library_kernels out out_with_listing)
  set(images "")
  set(images_with_listing "")
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/images/stripped)
  file(MAKE_DIRECTORY ${folder})
  set(tab "[[:space:]]*")
  string(CONCAT lines "/^${tab}[.]loc[[:space:]]/d;/^${tab}[.]file[[:space:]]/d;/^${tab}$/d;"
                      "/^${tab}[.]section[[:space:]]/,/^${tab}}/d")
  foreach(source ${ARGN})
    cmake_path(GET source STEM stem)
    tilewise_architectures_of(${source} architectures)
    foreach(architecture ${architectures})
      tilewise_make_ptx(${source} ${architecture} ptx)
      cmake_path(GET ptx FILENAME name)
      set(stripped ${folder}/${name})
      set(digest ${stripped}.sha256)
      add_custom_command(OUTPUT ${stripped} ${digest}
        COMMAND sed "${lines}" ${ptx} > ${name}
        COMMAND ${CMAKE_COMMAND} -E sha256sum ${name} > ${digest}
        WORKING_DIRECTORY ${folder} DEPENDS ${ptx} VERBATIM
        COMMENT "PTX   ${stem} sm_${architecture}, without lines")
      if(TILEWISE_LINE_INFO)
        tilewise_make_cubin(${source} ${ptx} ${architecture} cubin)
      else()
        tilewise_make_cubin(${source} ${stripped} ${architecture} cubin)
      endif()
      tilewise_make_fatbin(${cubin} ${stripped} ${architecture} fatbin)
      set(image "${stem}|${architecture}|${fatbin}|${digest}")
      list(APPEND images "${image}||")
      if(TILEWISE_TOOLS)
        tilewise_pack(${ptx} packed_ptx)
        tilewise_pack(${cubin} packed_cubin)
        list(APPEND images_with_listing "${image}|${packed_ptx}|${packed_cubin}")
      endif()
    endforeach()
  endforeach()
  set(${out} ${images} PARENT_SCOPE)
  set(${out_with_listing} ${images_with_listing} PARENT_SCOPE)
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
    list(GET image 2 fatbin)
    list(GET image 3 digest)
    list(GET image 4 ptx)
    list(GET image 5 cubin)
    set(symbol ${target}_${index})
    set(spans "")
    foreach(part fatbin digest ptx cubin)
      set(bytes "")
      if(${part})
        list(APPEND files ${${part}})
        set(bytes ".incbin \"${${part}}\"")
      endif()
      set(type std::byte)
      if("${part}" STREQUAL "digest")  # quoted, or it would be the variable
        set(type char)
      endif()
      string(APPEND assembly ".balign 16\n.globl ${symbol}_${part}, ${symbol}_${part}_end\n"
                             "${symbol}_${part}: ${bytes}\n${symbol}_${part}_end: .byte 0\n")
      string(APPEND declarations "extern const ${type} ${symbol}_${part}[], ${symbol}_${part}_end[];\n")
      list(APPEND spans "{${symbol}_${part}, ${symbol}_${part}_end}")
    endforeach()
    list(JOIN spans ", " spans)
    string(APPEND entries "    {\"${stem}\", \"sm_${architecture}\", ${spans}},\n")
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
