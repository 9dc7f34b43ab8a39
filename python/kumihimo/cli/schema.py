# SPDX-License-Identifier: Apache-2.0
"""`kumi schema`."""

from __future__ import annotations

from pathlib import Path


def run(write: bool, check: Path | None) -> int:
    """Print or write the schema, or check a file."""
    if check is not None:
        from ..cluster.static_check import mistakes
        from ..clusterfile import plan
        from ..common.errors import KumiError
        from .console import err

        made = plan(check)
        if found := mistakes(made):
            raise KumiError("\n".join(found), code=2)
        parts = (("node", made.nodes), ("cable", made.cables))
        size = [f"{len(v)} {k}{'' if len(v) == 1 else 's'}" for k, v in parts]
        err.print(f"{check}: {', '.join(size)}, no mistakes")
        return 0
    from ..clusterfile.schema import schema_text

    if not write:
        print(schema_text(), end="")
        return 0
    from ..common.paths import project_root

    (project_root() / "docs" / "cluster.schema.json").write_text(schema_text(), encoding="utf-8")
    return 0
