#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tilewise authors
# SPDX-License-Identifier: Apache-2.0
"""Writes a.npy and b.npy, two real matrices whose product is a picture: the spectrogram of a bird call.

A (251 x 197, f32, C order): the call, cut into 251 overlapping windowed frames of 197 samples.
B (197 x 227, f32, Fortran order): 227 cosines, a column each, from 500 Hz to 10 kHz.
C = A·B (251 x 227): how much of each pitch is in each frame. See README.md in this folder.

Needs the standard library only and writes the same bytes on every machine; a test holds the files of
the repository against it. Usage: make_examples.py [FOLDER]   (where it is not given: this folder)
"""

import array
import math
import pathlib
import random
import sys

FRAMES, SAMPLES, PITCHES = 251, 197, 227  # odd, and divided by no tile of the ladder
SAMPLE_RATE = 22_050  # Hz
HOP = 88  # samples from one frame to the next: 251 frames last one second
LOWEST_HZ, HIGHEST_HZ = 500.0, 10_000.0


def bird_call(count):
    """`count` samples in [-1, 1): three falling and rising whistles with an overtone, wind behind them.

    Rounded to 16 bits, as a recording is; that also hides the last-digit differences that the sine
    functions of different machines may have.
    """
    wind = random.Random(2026)
    phase = 0.0
    samples = []
    for i in range(count):
        t = i / SAMPLE_RATE
        syllable = (3.0 * t) % 1.0  # position in the current whistle, three a second
        hz = 3_200.0 + 1_800.0 * math.cos(2.0 * math.pi * syllable) + 500.0 * t
        phase += 2.0 * math.pi * hz / SAMPLE_RATE
        loudness = math.sin(math.pi * syllable) ** 2
        whistle = math.sin(phase) + 0.25 * math.sin(2.0 * phase)
        value = 0.7 * loudness * whistle + 0.01 * (2.0 * wind.random() - 1.0)
        samples.append(round(value * 32_767) / 32_768)
    return samples


def frames(samples):
    """Row f holds samples f·HOP … f·HOP + SAMPLES - 1 under a Hann window; row-major."""
    window = [math.sin(math.pi * (s + 0.5) / SAMPLES) ** 2 for s in range(SAMPLES)]
    return [samples[f * HOP + s] * window[s] for f in range(FRAMES) for s in range(SAMPLES)]


def cosines():
    """Column p is a cosine of the p-th pitch, evenly spaced to the ear (in octaves); column-major."""
    octaves = math.log2(HIGHEST_HZ / LOWEST_HZ)
    values = []
    for p in range(PITCHES):
        hz = LOWEST_HZ * 2.0 ** (octaves * p / (PITCHES - 1))
        step = 2.0 * math.pi * hz / SAMPLE_RATE
        values += [math.cos(step * (s - (SAMPLES - 1) / 2)) for s in range(SAMPLES)]
    return values


def write_npy(path, rows, columns, values, fortran_order):
    """Writes little-endian f32 in format 1.0 of numpy.lib.format: magic, header length, header."""
    header = f"{{'descr': '<f4', 'fortran_order': {fortran_order}, 'shape': ({rows}, {columns}), }}"
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"  # the elements start at a multiple of 64
    elements = array.array("f", values)
    if sys.byteorder == "big":
        elements.byteswap()
    length = len(header).to_bytes(2, "little")
    path.write_bytes(b"\x93NUMPY\x01\x00" + length + header.encode() + elements.tobytes())


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent)
    folder.mkdir(parents=True, exist_ok=True)
    samples = bird_call((FRAMES - 1) * HOP + SAMPLES)
    write_npy(folder / "a.npy", FRAMES, SAMPLES, frames(samples), fortran_order=False)
    write_npy(folder / "b.npy", SAMPLES, PITCHES, cosines(), fortran_order=True)


if __name__ == "__main__":
    main()
