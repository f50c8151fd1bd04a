// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// How many threads the door takes: programs that were written for another BLAS say it in OpenMP's words.
#pragma once

namespace tilewise::blas {

/// The number of threads that a context is to be made with, out of the values of TILEWISE_NUM_THREADS and
/// OMP_NUM_THREADS (null: not set): 0, for the library to decide, where the first says anything, or the second
/// nothing that is a number from 1 to the most a context takes. Of a list ("4,2": levels of nesting) the first counts,
/// and no more than `cores`: there OpenMP programs may have more threads than are any use.
int threads_in(const char* of_tilewise, const char* of_openmp, int cores);

}  // namespace tilewise::blas
