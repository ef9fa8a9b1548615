package io.nvmf.conformance.suite;

import static io.nvmf.codec.Status.AUTHENTICATION_REQUIRED;
import static io.nvmf.codec.fabrics.ControllerConfiguration.ENABLE;
import static io.nvmf.codec.fabrics.ControllerConfiguration.ENTRY_SIZES;

import io.nvmf.codec.Bytes;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.fabrics.ConnectResponse;
import io.nvmf.codec.fabrics.FabricsType;
import io.nvmf.codec.fabrics.Property;
import io.nvmf.codec.identify.Cns;
import io.nvmf.codec.identify.IdentifyCommand;
import io.nvmf.conformance.Association;
import io.nvmf.conformance.Check;
import io.nvmf.conformance.Level;
import io.nvmf.conformance.SuiteName;
import io.nvmf.initiator.raw.Answer;
import io.nvmf.initiator.raw.Payload;
import io.nvmf.initiator.raw.RawQueue;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Authentication, as far as it goes without a key: what is refused before, and messages that cannot be right. */
@SuiteName("SEC.AUTH")
public final class AuthenticationSuite extends FabricsSuite {
    private static final String AUTHENTICATION = "NVMe Base 2.0 s8.13.5";
    private static final String SEND = "NVMe Base 2.0 s6.2";
    /** AUTHREQ: DH-HMAC-CHAP before anything else. */
    private static final int TRANSACTION_REQUIRED = 1 << 1;

    // Fields of Authentication Send and Authentication Receive.
    private static final int SPSP0_OFFSET = 41;
    private static final int SPSP1_OFFSET = 42;
    private static final int SECP_OFFSET = 43;
    private static final int LENGTH_OFFSET = 44;
    private static final int SECP_NVME = 0xE9;

    // Messages: 0 type, 1 id, 4-5 transaction; of Negotiate 7 NAPD, then protocols of 64 bytes.
    private static final int NEGOTIATE_BYTES = 72;
    private static final int PROTOCOL_COUNT_OFFSET = 7;
    private static final int PROTOCOL_OFFSET = 8;
    private static final int HASH_OFFSET = PROTOCOL_OFFSET + 4;
    private static final int GROUP_OFFSET = PROTOCOL_OFFSET + 34;
    private static final int TRANSACTION = 0x2511;
    private static final int TYPE_COMMON = 0;
    private static final int TYPE_DH_HMAC_CHAP = 1;
    private static final int REPLY = 2;
    private static final int REPLY_BYTES = 80;
    private static final int FAILURE1 = 0xF1;
    private static final int EXPLANATION_OFFSET = 7;
    private static final int RECEIVE_BYTES = 4096;

    // Why a message is refused (Failure1).
    private static final int PROTOCOL_UNUSABLE = 2;
    private static final int HASH_UNUSABLE = 4;
    private static final int GROUP_UNUSABLE = 5;
    private static final int PAYLOAD_INCORRECT = 6;
    private static final int MESSAGE_INCORRECT = 7;

    /** An admin queue that asks for authentication. */
    private RawQueue unauthenticated() throws IOException {
        RawQueue queue = bench().queue(0, Association.DEPTH);
        Answer answer = expectSuccess(bench().connect(queue, connect()), "Connect of the admin queue");
        boolean required = (ConnectResponse.authenticationRequired(answer.dw0()) & TRANSACTION_REQUIRED) != 0;
        skipUnless(required, "the target does not ask for authentication");
        return queue;
    }

    // ---- other commands

    @Check(says = "Property Get before authentication: Authentication Required", source = AUTHENTICATION)
    void propertyGet() throws IOException {
        Answer answer = expectStatus(
                execute(unauthenticated(), propertyGet(Property.VS.offset(), 0)),
                AUTHENTICATION_REQUIRED,
                Status.SUCCESS);
        if (answer.isSuccess()) {
            deviates("shows its properties before authentication", "Linux nvmet");
        }
    }

    @Check(says = "Identify before authentication: Authentication Required", source = AUTHENTICATION)
    void identify() throws IOException {
        RawQueue admin = unauthenticated();
        enableWithout(admin);
        expectStatus(
                execute(
                        admin,
                        IdentifyCommand.encode(Sqe.allocate(), Cns.CONTROLLER, 0, 0, 0),
                        Payload.in(IdentifyCommand.DATA_BYTES)),
                AUTHENTICATION_REQUIRED);
    }

    @Check(says = "Keep Alive before authentication: Authentication Required", source = AUTHENTICATION)
    void keepAliveCommand() throws IOException {
        RawQueue admin = unauthenticated();
        enableWithout(admin);
        expectStatus(execute(admin, keepAlive()), AUTHENTICATION_REQUIRED);
    }

    /** Some targets let CC be set, and look at it first. */
    private void enableWithout(RawQueue admin) throws IOException {
        execute(admin, propertySet(Property.CC.offset(), 0, ENABLE | ENTRY_SIZES));
    }

    // ---- commands that cannot be right

    @Check(says = "Authentication Send with another SECP than E9h: Invalid Field", source = SEND)
    void otherProtocol() throws IOException {
        Sqe sqe = send(NEGOTIATE_BYTES);
        sqe.buffer().put(SECP_OFFSET, (byte) 0xEA);
        expectInvalidField(sqe, negotiate());
    }

    @Check(says = "Authentication Send with SPSP0 0: Invalid Field", source = SEND)
    void otherSpecific0() throws IOException {
        Sqe sqe = send(NEGOTIATE_BYTES);
        sqe.buffer().put(SPSP0_OFFSET, (byte) 0);
        expectInvalidField(sqe, negotiate());
    }

    @Check(says = "Authentication Send with SPSP1 0: Invalid Field", source = SEND)
    void otherSpecific1() throws IOException {
        Sqe sqe = send(NEGOTIATE_BYTES);
        sqe.buffer().put(SPSP1_OFFSET, (byte) 0);
        expectInvalidField(sqe, negotiate());
    }

    private void expectInvalidField(Sqe sqe, byte... message) throws IOException {
        expectStatus(execute(unauthenticated(), sqe, Payload.inCapsule(message)), Status.INVALID_FIELD);
    }

    @Check(says = "Authentication Send with TL 0: refused", source = SEND)
    void lengthZero() throws IOException {
        expectStatus(
                execute(unauthenticated(), send(0), Payload.inCapsule(new byte[0])),
                Status.INVALID_FIELD,
                Status.SGL_DATA_LENGTH_INVALID);
    }

    @Check(says = "Authentication Receive of 4 bytes, no message is so short: refused", source = "NVMe Base 2.0 s6.1")
    void receiveTooShort() throws IOException {
        RawQueue admin = unauthenticated();
        expectSuccess(execute(admin, send(NEGOTIATE_BYTES), Payload.inCapsule(negotiate())), "Negotiate");
        expectStatus(
                execute(admin, message(FabricsType.AUTHENTICATION_RECEIVE, 4), Payload.in(4)),
                Status.INVALID_FIELD,
                Status.SGL_DATA_LENGTH_INVALID);
    }

    private static Sqe send(int lengthBytes) {
        return message(FabricsType.AUTHENTICATION_SEND, lengthBytes);
    }

    private static Sqe message(int type, int lengthBytes) {
        Sqe sqe = fabrics(type);
        sqe.buffer().put(SPSP0_OFFSET, (byte) 1);
        sqe.buffer().put(SPSP1_OFFSET, (byte) 1);
        sqe.buffer().put(SECP_OFFSET, (byte) SECP_NVME);
        sqe.buffer().putInt(LENGTH_OFFSET, lengthBytes);
        return sqe;
    }

    // ---- messages that cannot be right

    /** A Negotiate message that offers what every target should take: SHA-256 and the NULL group. */
    private static byte[] negotiate() {
        ByteBuffer message = header(NEGOTIATE_BYTES, TYPE_COMMON, 0);
        message.put(PROTOCOL_COUNT_OFFSET, (byte) 1);
        message.put(PROTOCOL_OFFSET, (byte) TYPE_DH_HMAC_CHAP);
        message.put(PROTOCOL_OFFSET + 2, (byte) 1);
        message.put(PROTOCOL_OFFSET + 3, (byte) 1);
        message.put(HASH_OFFSET, (byte) 1);
        message.put(GROUP_OFFSET, (byte) 0);
        return message.array();
    }

    private static ByteBuffer header(int lengthBytes, int type, int id) {
        ByteBuffer message = Bytes.allocate(lengthBytes);
        message.put(0, (byte) type);
        message.put(1, (byte) id);
        message.putShort(4, (short) TRANSACTION);
        return message;
    }

    @Check(says = "Negotiate without protocols (NAPD 0): Failure1", source = AUTHENTICATION)
    void noProtocol() throws IOException {
        expectFailure(changed(PROTOCOL_COUNT_OFFSET, 0), PROTOCOL_UNUSABLE, PAYLOAD_INCORRECT);
    }

    @Check(says = "Negotiate with an unknown protocol: Failure1", source = AUTHENTICATION)
    void unknownProtocol() throws IOException {
        expectFailure(changed(PROTOCOL_OFFSET, 0x7F), PROTOCOL_UNUSABLE, PAYLOAD_INCORRECT);
    }

    @Check(says = "Negotiate with an unknown hash: Failure1, hash unusable", source = AUTHENTICATION)
    void unknownHash() throws IOException {
        expectFailure(changed(HASH_OFFSET, 0x7F), HASH_UNUSABLE);
    }

    @Check(says = "Negotiate with an unknown group: Failure1, group unusable", source = AUTHENTICATION)
    void unknownGroup() throws IOException {
        expectFailure(changed(GROUP_OFFSET, 0x7F), GROUP_UNUSABLE);
    }

    @Check(says = "Negotiate cut after its head: Failure1, incorrect payload", source = AUTHENTICATION)
    void cutShort() throws IOException {
        expectFailure(Arrays.copyOf(negotiate(), PROTOCOL_OFFSET), PAYLOAD_INCORRECT);
    }

    @Check(says = "Reply as the first message: Failure1, incorrect message", source = AUTHENTICATION)
    void replyFirst() throws IOException {
        ByteBuffer reply = header(REPLY_BYTES, TYPE_DH_HMAC_CHAP, REPLY);
        reply.put(6, (byte) 32);
        expectFailure(reply.array(), MESSAGE_INCORRECT, PAYLOAD_INCORRECT);
    }

    @Check(
            says = "A message that is nothing: Failure1, and the target lives on",
            source = AUTHENTICATION,
            level = Level.ROBUST)
    void nothing() throws IOException {
        byte[] message = new byte[RECEIVE_BYTES];
        Arrays.fill(message, (byte) 0xFF);
        expectFailure(message, MESSAGE_INCORRECT, PAYLOAD_INCORRECT);
        tryConnect(connect());
    }

    private static byte[] changed(int offset, int value) {
        byte[] message = negotiate();
        message[offset] = (byte) value;
        return message;
    }

    /** The message is taken, the failure is what is received next; some targets refuse the command, or end the queue. */
    private void expectFailure(byte[] message, int... explanations) throws IOException {
        RawQueue admin = unauthenticated();
        Answer sent = execute(admin, send(message.length), Payload.inCapsule(message));
        expect(sent.kind() != Answer.Kind.SILENCE, "an answer to Authentication Send", sent);
        if (!sent.isSuccess()) {
            return;
        }
        Answer received =
                execute(admin, message(FabricsType.AUTHENTICATION_RECEIVE, RECEIVE_BYTES), Payload.in(RECEIVE_BYTES));
        expect(received.kind() != Answer.Kind.SILENCE, "Failure1", received);
        if (!received.isSuccess()) {
            return;
        }
        byte[] data = received.data();
        boolean failure = data[0] == TYPE_DH_HMAC_CHAP && (data[1] & 0xFF) == FAILURE1;
        expect(failure, "Failure1", "message " + hex(data[1] & 0xFF) + " of type " + data[0]);
        boolean explained = Arrays.stream(explanations).anyMatch(one -> one == data[EXPLANATION_OFFSET]);
        expect(explained, "explanation " + Arrays.toString(explanations), data[EXPLANATION_OFFSET]);
    }
}
