package io.nvmf.conformance.suite;

import io.nvmf.codec.Nqn;
import io.nvmf.codec.Opcode;
import io.nvmf.codec.Sqe;
import io.nvmf.codec.Status;
import io.nvmf.codec.fabrics.ConnectResponse;
import io.nvmf.codec.fabrics.Property;
import io.nvmf.codec.feature.AsyncEventConfig;
import io.nvmf.codec.feature.FeatureId;
import io.nvmf.codec.identify.Cns;
import io.nvmf.codec.identify.IdentifyController;
import io.nvmf.codec.identify.IdentifyController.Field;
import io.nvmf.codec.log.DiscoveryLogEntry;
import io.nvmf.conformance.Association;
import io.nvmf.conformance.Check;
import io.nvmf.conformance.ConnectSpec;
import io.nvmf.conformance.Level;
import io.nvmf.conformance.SuiteName;
import io.nvmf.initiator.raw.Answer;
import io.nvmf.initiator.raw.Payload;
import io.nvmf.initiator.raw.RawQueue;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/** Discovery controllers. */
@SuiteName(value = "DISC.CONTROLLER", subsystem = false)
public final class DiscoveryControllerSuite extends DiscoverySuite {
    private static final String CONTROLLER = "NVMe Base 2.0 s3.1.2.3";
    private static final int KEEP_ALIVE_MS = 30_000;

    // ---- what it says of itself

    @Check(says = "Identify: CNTRLTYPE says discovery", source = CONTROLLER)
    void type() throws IOException {
        expectEquals(IdentifyController.TYPE_DISCOVERY, identified(discovery()).get(Field.CNTRLTYPE), "CNTRLTYPE");
    }

    private static IdentifyController identified(Association discovery) throws IOException {
        return IdentifyController.decode(discovery.identified(Cns.CONTROLLER, 0), 0);
    }

    @Check(says = "Identify: CNTLID as in the answer to Connect", source = "the Linux host refuses the controller")
    void controllerId() throws IOException {
        Association discovery = discovery();
        expectEquals(discovery.controllerId(), identified(discovery).get(Field.CNTLID), "CNTLID");
    }

    @Check(says = "Identify: SUBNQN is the well-known one, or another NQN", source = CONTROLLER)
    void name() throws IOException {
        String nqn = identified(discovery()).subsystemNqn();
        expect(nqn.startsWith("nqn."), "an NQN", nqn);
    }

    @Check(says = "Identify: the log can be read from an offset (LPA bit 2)", source = "hosts read long logs in pieces")
    void logOffsets() throws IOException {
        IdentifyController controller = identified(discovery());
        expect(
                controller.has(Field.LPA, IdentifyController.LPA_EXTENDED_DATA),
                "LPA bit 2",
                "LPA " + hex(controller.get(Field.LPA)));
    }

    @Check(says = "Identify: there are no namespaces (NN 0)", source = CONTROLLER, level = Level.SHOULD)
    void noNamespaces() throws IOException {
        expectEquals(0, identified(discovery()).get(Field.NN), "NN");
    }

    @Check(says = "VS: as VER of Identify Controller", source = "NVMe Base 2.0 s5.17.2.1")
    void version() throws IOException {
        Association discovery = discovery();
        expectEquals(identified(discovery).get(Field.VER), discovery.property(Property.VS), "VS");
    }

    // ---- names

    @Check(
            says = "The NQN that the discovery subsystem has of its own: Connect succeeds, and the log is the same",
            source = "NVMe Base 2.0 s3.1.2.3",
            level = Level.SHOULD)
    void ownName() throws IOException {
        Association discovery = discovery();
        String nqn = identified(discovery).subsystemNqn();
        skipUnless(!nqn.equals(Nqn.DISCOVERY), "the discovery subsystem has the well-known name alone");
        Association byName = bench().associate(bench().connectSpec(nqn)).enable();
        expect(Arrays.equals(log(discovery), log(byName)), "the same log under both names", "another one");
        List<String> own = entries(discovery).stream()
                .map(entry -> DiscoveryLogEntry.decode(entry, 0))
                .filter(entry ->
                        entry.get(DiscoveryLogEntry.Field.SUBTYPE) == DiscoveryLogEntry.SUBTYPE_CURRENT_DISCOVERY)
                .map(DiscoveryLogEntry::subsystemNqn)
                .distinct()
                .toList();
        expect(own.isEmpty() || own.contains(nqn), nqn + " in its own entry", own);
    }

    // ---- queues

    @Check(says = "Connect of an I/O queue: Invalid Parameters", source = CONTROLLER)
    void ioQueue() throws IOException {
        Association discovery = discovery();
        expectStatus(tryConnect(1, discovery.ioSpec(1)), Status.CONNECT_INVALID_PARAMETERS);
        discovery.identified(Cns.CONTROLLER, 0);
    }

    @Check(says = "Two discovery controllers at once: different CNTLID", source = CONTROLLER)
    void twoControllers() throws IOException {
        Association first = discovery();
        Association second = discovery();
        expect(
                first.controllerId() != second.controllerId(),
                "a CNTLID other than " + hex(first.controllerId()),
                hex(second.controllerId()));
    }

    @Check(says = "Connect with another CNTLID than FFFFh: refused", source = CONTROLLER, level = Level.SHOULD)
    void controllerIdGiven() throws IOException {
        discovery();
        ConnectSpec spec = bench().connectSpec(Nqn.DISCOVERY).controllerId(5);
        Answer answer = expectStatus(tryConnect(spec), Status.CONNECT_INVALID_PARAMETERS);
        expectEquals(16, ConnectResponse.invalidOffset(answer.dw0()), "IPO");
    }

    // ---- commands

    @Check(says = "Identify Namespace: refused", source = CONTROLLER)
    void identifyNamespace() throws IOException {
        expectNotHere(discovery().identify(Cns.NAMESPACE, 1));
    }

    @Check(says = "Namespace identification descriptors: refused", source = CONTROLLER)
    void identifyDescriptors() throws IOException {
        expectNotHere(discovery().identify(Cns.NAMESPACE_DESCRIPTORS, 1));
    }

    @Check(says = "Namespace Management: refused", source = CONTROLLER)
    void namespaceManagement() throws IOException {
        // SEL 1, delete: no data, and nothing there that could be deleted.
        expectNotHere(discovery()
                .admin(Sqe.allocate()
                        .clear(Opcode.Admin.NAMESPACE_MANAGEMENT)
                        .nsid(1)
                        .cdw(10, 1)));
    }

    private void expectNotHere(Answer answer) {
        expectStatus(answer, Status.INVALID_OPCODE, Status.INVALID_FIELD, Status.INVALID_NAMESPACE_OR_FORMAT);
    }

    // ---- keep alive and events

    @Check(says = "Connect with KATO, and Keep Alive: success", source = "NVMe Base 2.0 s3.9")
    void keepAliveWithTimeout() throws IOException {
        Association discovery = discovery(bench().connectSpec(Nqn.DISCOVERY).keepAliveTimeoutMs(KEEP_ALIVE_MS));
        expectSuccess(discovery.admin(keepAlive()), "Keep Alive");
        long effectiveMs = feature(discovery, FeatureId.KEEP_ALIVE_TIMER);
        expect(effectiveMs >= KEEP_ALIVE_MS, "a timeout of at least " + KEEP_ALIVE_MS + " ms", effectiveMs + " ms");
    }

    @Check(
            says = "Connect with KATO 0, nothing sent for 10 s: the connection stays",
            source = "NVMe Base 2.0 s3.9",
            seconds = 12)
    void idle() throws IOException {
        Association discovery = discovery();
        expect(!endsWithin(discovery.admin(), 10_000), "a connection that stays", "its end");
        header(discovery);
    }

    @Check(
            says = "Events that OAES names can be configured, and a request for them waits",
            source = "nvme-cli and nvme-stas stay connected so",
            level = Level.SHOULD)
    void events() throws IOException {
        Association discovery = discovery();
        boolean tells = (identified(discovery).get(Field.OAES) & AsyncEventConfig.DISCOVERY_LOG_CHANGE) != 0;
        skipUnless(tells, "it does not tell of changes: OAES bit 31 is 0");
        expectSuccess(
                setFeature(discovery, FeatureId.ASYNC_EVENT_CONFIG, AsyncEventConfig.DISCOVERY_LOG_CHANGE),
                "Asynchronous Event Configuration");
        expectEquals(
                AsyncEventConfig.DISCOVERY_LOG_CHANGE,
                feature(discovery, FeatureId.ASYNC_EVENT_CONFIG) & AsyncEventConfig.DISCOVERY_LOG_CHANGE,
                "Asynchronous Event Configuration");
        log(discovery);
        RawQueue admin = discovery.admin();
        int event = admin.submit(Sqe.allocate().clear(Opcode.Admin.ASYNC_EVENT_REQUEST), Payload.NONE);
        header(discovery);
        if (admin.isAnswered(event)) {
            expectSuccess(admin.await(event, answerMs()), "Asynchronous Event Request");
        }
    }
}
