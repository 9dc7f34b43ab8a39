# SPDX-License-Identifier: Apache-2.0
"""For all tests: children start with signals as a terminal's commands have them."""

from __future__ import annotations

import signal

# A run begun in the background of a script (`pytest &`, `nohup pytest`) ignores these, and every
# child would inherit that; tests interrupt and hang up on commands.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
