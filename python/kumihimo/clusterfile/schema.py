# SPDX-License-Identifier: Apache-2.0
"""The JSON schema of a cluster file, for editors."""

from __future__ import annotations

import json

from .model import ClusterFile


def schema_text() -> str:
    """The schema as published in docs/cluster.schema.json."""
    schema = ClusterFile.model_json_schema()
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "Kumihimo cluster file"
    return json.dumps(schema, indent=1, sort_keys=True) + "\n"
