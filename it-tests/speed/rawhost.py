"""A host that does nothing by itself: sockets on which commands are sent and answers are read, or are not."""

import socket
import struct
import uuid

from speed import Failure

CAPSULE_CMD, CAPSULE_RESP, C2H_DATA = 4, 5, 7
LAST_PDU, SUCCESS = 4, 8
HEADER = struct.Struct("<BBBBI")
TRANSPORT_DATA, IN_CAPSULE = 0x5A, 0x01
CONNECT, PROPERTY_SET, SET_FEATURES, READ = 1, 0, 9, 2
CC, ENABLE = 0x14, 0x460001  # entries of 64 and 16 bytes, enabled
NUMBER_OF_QUEUES = 7


class Queue:
    """One connection, which is one queue. Give it to a with statement, or close it."""

    def __init__(self, port, timeout_s=20):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout_s)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.sendall(HEADER.pack(0, 0, 128, 0, 128) + bytes(120))
        if self._receive(128)[0] != 1:
            raise Failure("the target did not answer the handshake")

    def _receive(self, length):
        data = b""
        while len(data) < length:
            part = self.socket.recv(length - len(data))
            if not part:
                raise Failure("the target closed the connection")
            data += part
        return data

    def connect(self, nqn, queue_id, entries, controller=0xFFFF, host=uuid.UUID(int=1)):
        """Returns the controller's id."""
        data = (host.bytes + struct.pack("<H", controller) + bytes(238) + nqn.encode().ljust(256, b"\0")
                + f"nqn.2014-08.org.nvmexpress:uuid:{host}".encode().ljust(256, b"\0") + bytes(256))
        sqe = self._sqe(0x7F, CONNECT, len(data), IN_CAPSULE, struct.pack("<HHHBBI", 0, queue_id, entries - 1, 0, 0, 0))
        self.socket.sendall(HEADER.pack(CAPSULE_CMD, 0, 72, 72, 72 + len(data)) + sqe + data)
        return self.answer() & 0xFFFF

    @staticmethod
    def _sqe(opcode, word1, length, kind, tail, cid=0):
        start = struct.pack("<BBHI", opcode, 0x40, cid, word1).ljust(24, b"\0")
        return (start + struct.pack("<QI3xB", 0, length, kind) + tail).ljust(64, b"\0")

    def command(self, *sqe, **more):
        self.socket.sendall(HEADER.pack(CAPSULE_CMD, 0, 72, 0, 72) + self._sqe(*sqe, **more))

    def enable(self, queues):
        """Makes a controller ready for so many I/O queues; this is its admin queue."""
        self.command(0x7F, PROPERTY_SET, 0, TRANSPORT_DATA, struct.pack("<B3xIQ", 0, CC, ENABLE))
        self.answer()
        self.command(SET_FEATURES, 0, 0, TRANSPORT_DATA,
                     struct.pack("<II", NUMBER_OF_QUEUES, (queues - 1) << 16 | queues - 1))
        self.answer()

    def read(self, block, blocks, block_bytes, nsid=1, cid=0):
        """Sends a read and leaves its answer where it is."""
        self.command(READ, nsid, blocks * block_bytes, TRANSPORT_DATA, struct.pack("<QI", block, blocks - 1), cid=cid)

    def answer(self):
        """Takes PDUs until a command is done; returns what it says first."""
        while True:
            kind, flags, _, _, length = HEADER.unpack(self._receive(8))
            rest = self._receive(length - 8)
            if kind == CAPSULE_RESP:
                status = struct.unpack_from("<H", rest, 14)[0] >> 1
                if status:
                    raise Failure(f"a command ended with status {status:#x}")
                return struct.unpack_from("<I", rest)[0]
            if kind != C2H_DATA:
                raise Failure(f"an unexpected PDU of type {kind}")
            if flags & SUCCESS:
                return 0

    def reset(self):
        """Ends the connection without taking leave."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close()

    def close(self):
        self.socket.close()


def controller(port, nqn, queues, entries=128):
    """An admin queue and so many I/O queues, in this order."""
    host = uuid.uuid4()
    admin = Queue(port)
    identifier = admin.connect(nqn, 0, 32, host=host)
    admin.enable(queues)
    made = [admin]
    for queue_id in range(1, queues + 1):
        queue = Queue(port)
        queue.connect(nqn, queue_id, entries, identifier, host)
        made.append(queue)
    return made
