# SPDX-License-Identifier: Apache-2.0
"""Storage arrays on disks of unequal speed, served over NBD.

`arrays` makes and opens them, `control` talks to one that is being served, `bounds` has what they
can reach at best, `demo` shows it.
"""
