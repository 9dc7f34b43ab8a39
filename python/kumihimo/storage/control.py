# SPDX-License-Identifier: Apache-2.0
"""An array that is being served takes orders on a socket of its own: one JSON object a line.

`Service` is the server's side (it also owns the NBD server); `find` is the other, for commands.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import tempfile
import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .. import _storage
from ..common.errors import KumiError
from . import arrays

COMMIT_S = 5.0  # what is not flushed gets no older
LEAST_BYTES = 1 << 20  # of a disk that joins
LEAST_SLOTS = 16


def _folder() -> Path:
    run = os.environ.get("XDG_RUNTIME_DIR")
    base = Path(run) if run and Path(run).is_dir() else Path(tempfile.gettempdir())
    folder = base / f"kumi-storage-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.stat().st_uid != os.getuid():
        raise KumiError(f"{folder} belongs to another user.")
    return folder


def socket_of(uuid: str) -> Path:
    """Where a served array listens for orders."""
    return _folder() / f"{uuid[:13]}.ctl"  # a socket has a short path


def describe(array: _storage.Array, volume: _storage.Volume | None) -> dict[str, Any]:
    """What `kumi storage status` shows."""
    out: dict[str, Any] = {"array": array.info(), "devices": array.devices()}
    out["degraded_stripes"] = array.degraded_stripes()
    out["rebuild"] = volume.rebuild_status() if volume else None
    out["writes"] = volume.write_status() if volume else None
    return out


def check_replacement(
    state: dict[str, Any],
    device: int,
    path: Path,
    *,
    force: bool,
    most_slots: int = 1 << 24,
    timeout_s: float = arrays.TIMEOUT_S,
    late_s: float = arrays.LATE_S,
) -> _storage.FileDevice:
    """The disk that is to replace a device; raises why it cannot. Nothing has changed so far.

    Args:
        state: of the array, see `describe`.
        device: number of the device that goes.
        path: the disk that comes; it is locked.
        force: also a disk of another array.
        most_slots: of a disk, that can be dealt with.
        timeout_s: of the disk, see `arrays.devices`.
        late_s: the same.
    """
    states = {d["index"]: d["state"] for d in state["devices"]}
    if device not in states:
        raise KumiError(f"The array has no device {device}.", code=2)
    width = state["array"]["k"] + state["array"]["p"]
    if states[device] == "active" and [*states.values()].count("active") < width:
        raise KumiError(
            f"Without device {device} there are too few for whole stripes, also with a new one.",
            "Replace what has failed first.",
        )
    arrays.check_paths([path])
    if not force:
        arrays.require_unused([path])
    disk = arrays.devices([path], timeout_s=timeout_s, late_s=late_s)[0]
    chunk_log2 = state["array"]["chunk"].bit_length() - 1
    if disk.size >= LEAST_BYTES:
        slots = _storage.geometry(disk.size, chunk_log2, width)[2]
        if slots > most_slots:
            most = most_slots << chunk_log2 >> 20
            raise KumiError(f"{path} is too large: {most} MiB at most with these chunks.")
        if slots >= LEAST_SLOTS:
            return disk
    raise KumiError(f"{path} is too small.")


def replace(
    array: _storage.Array,
    device: int,
    path: Path,
    *,
    force: bool,
    timeout_s: float = arrays.TIMEOUT_S,
    late_s: float = arrays.LATE_S,
) -> None:
    """A new disk joins; the old one is given up, or emptied first if it still works."""
    state = describe(array, None)
    disk = check_replacement(state, device, path, force=force, timeout_s=timeout_s, late_s=late_s)
    speed = arrays.measure([disk], min(8 << 20, disk.size // 2))[0]
    array.add(disk, speed.read_mbs, speed.write_mbs, True)
    if any(d["index"] == device and d["state"] == "active" for d in state["devices"]):
        array.drain(device)


class ControlSocket(ABC):
    """The socket on which an array that is served takes orders."""

    def listen(self, uuid: str) -> None:
        """From now on; the disks are locked, so nobody else serves this array."""
        self._place = socket_of(uuid)
        self._place.unlink(missing_ok=True)
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(str(self._place))
        self._listener.listen(4)
        self._busy = threading.Lock()  # held by an order under way
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def stop_listening(self) -> None:
        """No more orders; one that is under way ends first."""
        self._place.unlink(missing_ok=True)
        self._listener.close()
        self._busy.acquire()

    @abstractmethod
    def _handle(self, request: dict[str, Any]) -> dict[str, Any]:
        """Carries out one order; what it returns is sent back."""

    def _listen(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            # A client that goes away in the middle is no reason to stop listening.
            with contextlib.suppress(OSError):
                self._respond(connection)

    def _respond(self, connection: socket.socket) -> None:
        connection.settimeout(60)
        with connection, connection.makefile("rw", encoding="utf-8") as stream:
            line = stream.readline(65536)
            if not line:
                return
            try:
                with self._busy:
                    response = self._handle(json.loads(line))
            except (_storage.StorageError, KumiError) as problem:
                response = {"error": str(problem)}
            except (ValueError, KeyError, TypeError) as problem:
                response = {"error": f"an order that makes no sense: {problem}"}
            stream.write(json.dumps(response) + "\n")


class Service(ControlSocket):
    """One array, its volume, its NBD server and its orders."""

    def __init__(
        self,
        paths: Sequence[Path],
        *,
        unix: Path | None,
        port: int | None,
        degraded: bool = False,
        read_only: bool = False,
        timeout_s: float = arrays.TIMEOUT_S,
        late_s: float = arrays.LATE_S,
        cache: int = 256 << 20,
    ) -> None:
        self._times = {"timeout_s": timeout_s, "late_s": late_s}
        self._read_only = read_only
        self.array = arrays.open_array(paths, degraded=degraded, read_only=read_only, **self._times)
        self.volume = _storage.Volume(self.array, cache, 0.0 if read_only else COMMIT_S)
        self.nbd = _storage.NbdServer(
            self.volume,
            str(unix) if unix else "",
            -1 if port is None else port,
            read_only,
        )
        self.uuid = str(self.array.info()["uuid"])
        self.listen(self.uuid)

    def uri(self, unix: Path | None) -> str:
        """What clients are given."""
        if unix:
            return f"nbd+unix:///?socket={unix}"
        return f"nbd://127.0.0.1:{self.nbd.tcp_port}"

    def close(self) -> None:
        """Answer nobody any more; everything is safe on the disks."""
        self.stop_listening()
        self.nbd.stop()
        self.volume.stop_rebuild()
        if not self._read_only:
            self.volume.flush()

    def _handle(self, request: dict[str, Any]) -> dict[str, Any]:
        what = request["op"]
        if what == "fail":
            self.array.fail(int(request["device"]))
        elif what == "replace":
            path = Path(request["path"])
            replace(
                self.array,
                int(request["device"]),
                path,
                force=bool(request.get("force")),
                **self._times,
            )
            self.volume.start_rebuild(False, float(request.get("limit", 0)))
        elif what in ("rebuild", "scrub"):
            self.volume.start_rebuild(what == "scrub", float(request.get("limit", 0)))
        elif what != "status":
            raise KumiError(f"There is no order '{what}'.")
        out = describe(self.array, self.volume)
        out["nbd"] = self.nbd.counters()
        return out


class Client:
    """Orders to an array that is being served."""

    def __init__(self, place: Path) -> None:
        self._place = place

    def call(self, **request: Any) -> dict[str, Any]:
        """One order; raises what went wrong."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as s:
            s.settimeout(120)
            s.connect(str(self._place))
            with s.makefile("rw", encoding="utf-8") as stream:
                stream.write(json.dumps(request) + "\n")
                stream.flush()
                line = stream.readline()
        if not line:
            raise KumiError("The server ended before it answered.")
        response: dict[str, Any] = json.loads(line)
        if "error" in response:
            raise KumiError(str(response["error"]))
        return response


def find(paths: Sequence[Path]) -> Client | None:
    """The server of the array that one of these disks belongs to, if it is being served."""
    for path in paths:
        uuid = arrays.uuid_of(path) if path.exists() else ""
        if not uuid:
            continue
        place = socket_of(uuid)
        if not place.exists():
            continue
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as s:
            try:
                s.connect(str(place))
            except OSError:
                continue
        return Client(place)
    return None
