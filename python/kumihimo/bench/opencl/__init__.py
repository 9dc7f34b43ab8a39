# SPDX-License-Identifier: Apache-2.0
"""Benches: kernels in OpenCL."""
