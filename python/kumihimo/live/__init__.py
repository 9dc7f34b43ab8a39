# SPDX-License-Identifier: Apache-2.0
"""Pictures of a cluster in the browser: while it runs (`kumi live`), or of its files."""
