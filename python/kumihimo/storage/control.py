# SPDX-License-Identifier: Apache-2.0
"""Control socket of a served array: requests and responses are JSON objects, one per line.

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
    """Path of the control socket of an array."""
    return _folder() / f"{uuid[:13]}.ctl"  # a socket has a short path


def describe(array: _storage.Array, volume: _storage.Volume | None) -> dict[str, Any]:
    """State for `kumi storage status`."""
    out: dict[str, Any] = {"array": array.info(), "devices": array.devices()}
    out["degraded_stripes"] = array.degraded_stripes()
    out["lost"] = ranges(array.lost_stripes(), out["array"]["k"] * out["array"]["chunk"])
    out["rebuild"] = volume.rebuild_status() if volume else None
    out["writes"] = volume.write_status() if volume else None
    out["suspended"] = array.suspended()
    out["notes"] = array.notes()[1]
    return out


def ranges(stripes: Sequence[int], size: int) -> list[tuple[int, int]]:
    """Offset and length in bytes of runs of ascending stripes of `size` bytes."""
    runs: list[tuple[int, int]] = []
    for stripe in stripes:
        offset, length = runs[-1] if runs else (0, 0)
        if runs and offset + length == stripe * size:
            runs[-1] = (offset, length + size)
        else:
            runs.append((stripe * size, size))
    return runs


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
    """Check and lock the disk that is to replace a device; raises if it cannot. Changes nothing.

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
            _require_capacity(state, device, path, slots, width)
            return disk
    raise KumiError(f"{path} is too small.")


def _require_capacity(
    state: dict[str, Any], device: int, path: Path, slots: int, width: int
) -> None:
    """Raise unless whole stripes for the whole volume fit with the new disk."""
    others = [
        d["slots"] for d in state["devices"] if d["state"] == "active" and d["index"] != device
    ]
    stripes = state["array"]["stripes"]
    if len(others) + 1 < width or _fits([*others, slots], width) >= stripes:
        return
    if device in {d["index"] for d in state["devices"]} and _fits(others, width) >= stripes:
        return
    raise KumiError(
        f"{path} is too small: {_fits([*others, slots], width)} of {stripes} stripes would keep "
        "their redundancy.",
        "Take a disk at least as large as the one it replaces.",
    )


def _fits(slots: Sequence[int], width: int) -> int:
    """Number of stripes of `width` chunks on different devices that fit into these slots."""
    low, high = 0, sum(slots) // width
    while low < high:
        middle = (low + high + 1) // 2
        if sum(min(s, middle) for s in slots) >= width * middle:
            low = middle
        else:
            high = middle - 1
    return low


def add(
    array: _storage.Array,
    path: Path,
    *,
    force: bool,
    timeout_s: float = arrays.TIMEOUT_S,
    late_s: float = arrays.LATE_S,
) -> None:
    """Add a disk."""
    arrays.check_paths([path])
    if not force:
        arrays.require_unused([path])
    disk = arrays.devices([path], timeout_s=timeout_s, late_s=late_s)[0]
    if disk.size < LEAST_BYTES:
        raise KumiError(f"{path} is too small.")
    speed = arrays.measure([disk], min(8 << 20, disk.size // 2))[0]
    array.add(disk, speed.read_mbs, speed.write_mbs, True)


def replace(
    array: _storage.Array,
    device: int,
    path: Path,
    *,
    force: bool,
    timeout_s: float = arrays.TIMEOUT_S,
    late_s: float = arrays.LATE_S,
) -> None:
    """Add the new disk; drain the old one if it still works."""
    state = describe(array, None)
    disk = check_replacement(state, device, path, force=force, timeout_s=timeout_s, late_s=late_s)
    speed = arrays.measure([disk], min(8 << 20, disk.size // 2))[0]
    array.add(disk, speed.read_mbs, speed.write_mbs, True)
    if any(d["index"] == device and d["state"] == "active" for d in state["devices"]):
        array.drain(device)


def identity_of(path: Path) -> list[int]:
    """Identity of a disk, different from that of its copies on this machine."""
    st = os.stat(path)
    return [st.st_dev, st.st_ino]


def _connects(place: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as s:
        try:
            s.connect(str(place))
        except OSError:
            return False
    return True


class ControlSocket(ABC):
    """The control socket of a served array."""

    def listen(self, uuid: str) -> None:
        """Start listening. The disks are locked, so only a copy of the array can be served."""
        self._place = socket_of(uuid)
        if self._place.exists() and _connects(self._place):
            raise KumiError(
                f"Array {uuid} is being served already, from other disks.",
                "One is a copy of the other; serve one of them only.",
            )
        self._place.unlink(missing_ok=True)
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(str(self._place))
        self._listener.listen(4)
        self._busy = threading.Lock()  # held by an order under way
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def stop_listening(self) -> None:
        """Stop listening, after the request in progress."""
        self._place.unlink(missing_ok=True)
        self._listener.close()
        self._busy.acquire()

    @abstractmethod
    def paths(self) -> list[Path]:
        """Disks of the served array."""

    @abstractmethod
    def _handle(self, request: dict[str, Any]) -> dict[str, Any]:
        """Handle one request; the result is sent back."""

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
            response: dict[str, Any]
            try:
                request = json.loads(line)
                if request["op"] == "disks":  # also while another request is in progress
                    response = {"disks": [identity_of(p) for p in self.paths() if p.exists()]}
                else:
                    with self._busy:
                        response = self._handle(request)
            except (_storage.StorageError, KumiError) as problem:
                response = {"error": str(problem)}
            except (ValueError, KeyError, TypeError) as problem:
                response = {"error": f"an order that makes no sense: {problem}"}
            stream.write(json.dumps(response) + "\n")


class Service(ControlSocket):
    """One array, its volume, its NBD server and its control socket."""

    def __init__(
        self,
        paths: Sequence[Path],
        *,
        unix: Path | None,
        port: int | None,
        degraded: bool = False,
        read_only: bool = False,
        salvage: bool = False,
        timeout_s: float = arrays.TIMEOUT_S,
        late_s: float = arrays.LATE_S,
        cache: int = 256 << 20,
    ) -> None:
        self._times = {"timeout_s": timeout_s, "late_s": late_s}
        self.array = arrays.open_array(
            paths,
            degraded=degraded,
            read_only=read_only,
            salvage=salvage,
            timeout_s=timeout_s,
            late_s=late_s,
        )
        self._read_only = read_only = bool(self.array.info()["read_only"])
        self.volume = _storage.Volume(self.array, cache, 0.0 if read_only else COMMIT_S)
        self.nbd = _storage.NbdServer(
            self.volume,
            str(unix) if unix else "",
            -1 if port is None else port,
            read_only,
        )
        self.uuid = str(self.array.info()["uuid"])
        self.listen(self.uuid)

    def paths(self) -> list[Path]:
        """Disks of the served array."""
        return [Path(d["name"]) for d in self.array.devices() if d["name"]]

    def uri(self, unix: Path | None) -> str:
        """URI for clients."""
        if unix:
            return f"nbd+unix:///?socket={unix}"
        return f"nbd://127.0.0.1:{self.nbd.tcp_port}"

    def close(self) -> None:
        """Stop serving, with everything durable on the disks."""
        self.stop_listening()
        self.nbd.stop()
        self.volume.stop_rebuild()
        if self._read_only:
            return
        try:
            self.volume.flush()
        finally:
            self.array.rewrite_metadata()

    def _handle(self, request: dict[str, Any]) -> dict[str, Any]:
        what = request["op"]
        if what == "fail":
            self.array.fail(int(request["device"]), bool(request.get("force")))
        elif what == "add":
            add(self.array, Path(request["path"]), force=bool(request.get("force")), **self._times)
            if self.array.degraded_stripes():
                self.volume.start_rebuild(False, float(request.get("limit", 0)))
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
    """Requests to a served array."""

    def __init__(self, place: Path) -> None:
        self._place = place

    def call(self, **request: Any) -> dict[str, Any]:
        """Send one request; raises the error in its response."""
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
    """The server of the array that serves one of these very disks, if any."""
    for path in paths:
        uuid = arrays.uuid_of(path) if path.exists() else ""
        if not uuid:
            continue
        place = socket_of(uuid)
        if not place.exists() or not _connects(place):
            continue
        client = Client(place)
        if identity_of(path) in client.call(op="disks")["disks"]:
            return client
    return None
