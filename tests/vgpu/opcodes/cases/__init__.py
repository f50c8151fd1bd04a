# SPDX-FileCopyrightText: 2026 The Tilewise authors
# SPDX-License-Identifier: Apache-2.0
"""The opcode tests: one module a family of instructions."""
