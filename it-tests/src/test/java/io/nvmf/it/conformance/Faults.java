package io.nvmf.it.conformance;

import io.nvmf.codec.Sqe;
import io.nvmf.codec.tcp.DataPdu;
import io.nvmf.codec.tcp.PduType;
import io.nvmf.initiator.raw.RawPdu;
import io.nvmf.it.conformance.FaultProxy.Connection;
import io.nvmf.it.conformance.FaultProxy.Fault;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/** The ways in which a {@link FaultProxy} can be wrong. Offsets are those of the PDU. */
final class Faults {
    private Faults() {}

    /** Changes every PDU of a type on its way to the host. */
    static Fault onPdu(PduType type, Consumer<ByteBuffer> change) {
        return new Fault() {
            @Override
            public List<RawPdu> toHost(Connection connection, RawPdu pdu) {
                return List.of(pdu.is(type) ? FaultProxy.changed(pdu, change) : pdu);
            }
        };
    }

    /** What becomes of every PDU of a type on its way to the host. */
    static Fault instead(PduType type, Function<RawPdu, List<RawPdu>> what) {
        return new Fault() {
            @Override
            public List<RawPdu> toHost(Connection connection, RawPdu pdu) {
                return pdu.is(type) ? what.apply(pdu) : List.of(pdu);
            }
        };
    }

    /** Changes the completions of some commands. */
    static Fault onCompletion(Predicate<Sqe> of, Consumer<ByteBuffer> change) {
        return new Fault() {
            @Override
            public List<RawPdu> toHost(Connection connection, RawPdu pdu) {
                if (!pdu.is(PduType.CAPSULE_RESP)) {
                    return List.of(pdu);
                }
                Sqe command = connection.command(pdu.completion().commandId());
                return List.of(command != null && of.test(command) ? FaultProxy.changed(pdu, change) : pdu);
            }
        };
    }

    /** Changes the first data that comes for some commands; the buffer begins with the data. */
    static Fault onData(Predicate<Sqe> of, Consumer<ByteBuffer> change) {
        return new Fault() {
            @Override
            public List<RawPdu> toHost(Connection connection, RawPdu pdu) {
                if (!pdu.is(PduType.C2H_DATA) || pdu.u32(DataPdu.DATA_OFFSET_OFFSET) != 0) {
                    return List.of(pdu);
                }
                Sqe command = connection.command(pdu.u16(DataPdu.COMMAND_ID_OFFSET));
                if (command == null || !of.test(command)) {
                    return List.of(pdu);
                }
                int at = pdu.dataOffset();
                int length = pdu.data().length;
                return List.of(FaultProxy.changed(
                        pdu, bytes -> change.accept(bytes.slice(at, length).order(bytes.order()))));
            }
        };
    }

    /** Changes PDUs of a type on their way to the target. */
    static Fault towardsTarget(Predicate<RawPdu> which, Consumer<ByteBuffer> change) {
        return new Fault() {
            @Override
            public List<RawPdu> toTarget(Connection connection, RawPdu pdu) {
                return List.of(which.test(pdu) ? FaultProxy.changed(pdu, change) : pdu);
            }
        };
    }

    /** Tells the host nothing of an error: neither a TermReq nor the end. */
    static Fault silentAboutErrors() {
        return new Fault() {
            @Override
            public List<RawPdu> toHost(Connection connection, RawPdu pdu) {
                return pdu.is(PduType.C2H_TERM_REQ) ? List.of() : List.of(pdu);
            }

            @Override
            public boolean tellsTheEnd() {
                return false;
            }
        };
    }
}
