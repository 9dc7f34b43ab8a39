# SPDX-License-Identifier: Apache-2.0
"""OpenCL kernels with channels become SystemVerilog.

Passes, in the order in which a file goes through them: `clang` (front end), `llvm_text` and
`frontend` (program), `loops` (segments), `lower` (operations), `memory`, `dependence`, `schedule`,
`print_kernel` and `print_program`. `emulate` runs the same file natively.
"""
