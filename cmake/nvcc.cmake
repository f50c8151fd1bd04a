# SPDX-FileCopyrightText: 2026 The Tilewise authors
# SPDX-License-Identifier: Apache-2.0
#
# Finds the nvcc that compiles the kernels: on PATH, in $CUDA_HOME/bin, in /usr/local/cuda/bin, and
# last in the project's own .cuda/bin, where scripts/setup.sh puts one when there is no other.
#
# As a script it prints the nvcc it finds, or nothing. scripts/setup.sh asks it, so that set-up and
# build never disagree:  cmake -P cmake/nvcc.cmake

set(TILEWISE_NVCC_MINIMUM 13.0)  # the virtual GPU is tested on what nvcc 13 emits

set(TILEWISE_IGNORE_SYSTEM_CUDA OFF CACHE BOOL
    "Use no nvcc but the one in .cuda/, as on a machine that has none")
# The environment variable of the same name asks for it too, for one run and without being remembered.
if(TILEWISE_IGNORE_SYSTEM_CUDA OR "$ENV{TILEWISE_IGNORE_SYSTEM_CUDA}")
  set(tilewise_ignore_system_cuda ON)
else()
  set(tilewise_ignore_system_cuda OFF)
endif()

# A VALIDATOR of find_program. An nvcc counts when it is new enough and turns a kernel into a cubin;
# one whose headers, compiler proper or ptxas are missing does not.
function(tilewise_validate_nvcc result candidate)
  execute_process(COMMAND ${candidate} --version
    RESULT_VARIABLE failed OUTPUT_VARIABLE version ERROR_QUIET)
  if(failed OR NOT version MATCHES "release ([0-9.]+)")
    set(version "of unknown version")
  elseif(CMAKE_MATCH_1 VERSION_GREATER_EQUAL TILEWISE_NVCC_MINIMUM)
    tilewise_try_nvcc(${candidate} failed words)
    if(failed)
      message(NOTICE "nvcc passed over: ${candidate} cannot compile a kernel: ${words}")
      set(${result} FALSE PARENT_SCOPE)
    endif()
    return()
  else()
    set(version "version ${CMAKE_MATCH_1}")
  endif()
  message(NOTICE "nvcc passed over: ${candidate} is ${version}, "
                 "${TILEWISE_NVCC_MINIMUM} or newer is needed")
  set(${result} FALSE PARENT_SCOPE)
endfunction()

function(tilewise_try_nvcc nvcc out_failed out_words)
  set(parent "$ENV{TMPDIR}")
  if(NOT parent)
    set(parent /tmp)
  endif()
  string(RANDOM LENGTH 12 suffix)
  set(folder ${parent}/tilewise-nvcc-${suffix})
  file(WRITE ${folder}/try.cu  # cuda_fp16.h: the header that needs the most of the toolkit
    "#include <cuda_fp16.h>\nextern \"C\" __global__ void try_it(float* x) { *x = sinf(*x); }\n")
  execute_process(COMMAND ${nvcc} -std=c++20 -arch=sm_80 -cubin try.cu -o try.cubin
    WORKING_DIRECTORY ${folder} RESULT_VARIABLE failed OUTPUT_VARIABLE words ERROR_VARIABLE words)
  file(REMOVE_RECURSE ${folder})
  string(REGEX MATCH "[^\n]+" words "${words}")
  set(${out_failed} ${failed} PARENT_SCOPE)
  set(${out_words} "${words}" PARENT_SCOPE)
endfunction()

# Sets the cache entry TILEWISE_NVCC_FOUND: the full path, or a false value. An earlier find is kept
# while it exists and the same places are searched.
function(tilewise_find_nvcc project_folder)
  if(NOT EXISTS "${TILEWISE_NVCC_FOUND}" OR
     (DEFINED TILEWISE_NVCC_SEARCH AND NOT TILEWISE_NVCC_SEARCH STREQUAL tilewise_ignore_system_cuda))
    unset(TILEWISE_NVCC_FOUND CACHE)
  endif()
  set(TILEWISE_NVCC_SEARCH ${tilewise_ignore_system_cuda} CACHE INTERNAL "of the last search")
  if(NOT tilewise_ignore_system_cuda)
    find_program(TILEWISE_NVCC_FOUND nvcc PATHS $ENV{CUDA_HOME}/bin /usr/local/cuda/bin
      VALIDATOR tilewise_validate_nvcc DOC "The nvcc that compiles the kernels")
  endif()
  find_program(TILEWISE_NVCC_FOUND nvcc PATHS ${project_folder}/.cuda/bin NO_DEFAULT_PATH
    VALIDATOR tilewise_validate_nvcc DOC "The nvcc that compiles the kernels")
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH project_folder)
  tilewise_find_nvcc(${project_folder})
  if(TILEWISE_NVCC_FOUND)
    execute_process(COMMAND ${CMAKE_COMMAND} -E echo ${TILEWISE_NVCC_FOUND})
  endif()
endif()
