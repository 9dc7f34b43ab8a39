# SPDX-License-Identifier: Apache-2.0
"""The Linux side of a cluster: private network namespaces, TAPs, and finding running clusters."""

from .namespace import Inside, Namespace, TapConfig

__all__ = ["Inside", "Namespace", "TapConfig"]
