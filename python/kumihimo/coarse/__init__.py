# SPDX-License-Identifier: Apache-2.0
"""The coarse model: times of collectives on more boards than a machine can simulate in RTL.

`program` says who sends what to whom, `measure` runs it cycle-accurately, `fit` finds the model's
parameters and its errors, `model` predicts. Page: docs/coarse-model.md.
"""

from .cases import BOARDS, CASES, Case, collective
from .model import Model, Prediction
from .network import Torus, Tree

__all__ = ["BOARDS", "CASES", "Case", "Model", "Prediction", "Torus", "Tree", "collective"]
