# SPDX-License-Identifier: Apache-2.0
"""`python -m kumihimo.cli` is `kumi`."""

from . import main

main()
