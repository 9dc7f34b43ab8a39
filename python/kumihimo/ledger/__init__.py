# SPDX-License-Identifier: Apache-2.0
"""Where every frame is: accounts of nodes, switches and cables, from the counters of a run.

ledger = Ledger.of(snapshot(cluster))
for sentence in sentences(ledger):
    print(sentence)
"""

from .accounts import Account, Item
from .ledger import Ledger
from .sentences import sentences, short

__all__ = ["Account", "Item", "Ledger", "sentences", "short"]
