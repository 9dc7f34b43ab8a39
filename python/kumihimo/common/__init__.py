# SPDX-License-Identifier: Apache-2.0
"""Shared by all of the package: errors, paths, processes, generated places in pages."""
