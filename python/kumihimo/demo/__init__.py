# SPDX-License-Identifier: Apache-2.0
"""`kumi demo`: ordinary Linux programs against a simulated cluster."""
