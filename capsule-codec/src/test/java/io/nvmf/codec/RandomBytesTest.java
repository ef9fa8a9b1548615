package io.nvmf.codec;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.fail;

import io.nvmf.codec.StatusNames.Kind;
import io.nvmf.codec.fabrics.ConnectCommand;
import io.nvmf.codec.fabrics.ConnectData;
import io.nvmf.codec.fabrics.Property;
import io.nvmf.codec.fabrics.PropertyCommand;
import io.nvmf.codec.feature.AsyncEvent;
import io.nvmf.codec.feature.FeaturesCommand;
import io.nvmf.codec.feature.NumberOfQueues;
import io.nvmf.codec.identify.ControllerList;
import io.nvmf.codec.identify.IdentifyCommand;
import io.nvmf.codec.identify.IdentifyController;
import io.nvmf.codec.identify.IdentifyNamespace;
import io.nvmf.codec.identify.IndependentNamespace;
import io.nvmf.codec.identify.NamespaceDescriptors;
import io.nvmf.codec.identify.NamespaceList;
import io.nvmf.codec.identify.NvmCommandSetController;
import io.nvmf.codec.identify.NvmCommandSetNamespace;
import io.nvmf.codec.log.AnaLog;
import io.nvmf.codec.log.ChangedNamespaceList;
import io.nvmf.codec.log.CommandsSupportedAndEffects;
import io.nvmf.codec.log.DiscoveryLogEntry;
import io.nvmf.codec.log.DiscoveryLogHeader;
import io.nvmf.codec.log.ErrorLogEntry;
import io.nvmf.codec.log.FirmwareSlotLog;
import io.nvmf.codec.log.GetLogPageCommand;
import io.nvmf.codec.log.SmartLog;
import io.nvmf.codec.log.SupportedLogPages;
import io.nvmf.codec.nvm.DatasetManagementCommand;
import io.nvmf.codec.nvm.ReadWriteCommand;
import io.nvmf.codec.nvm.WriteZeroesCommand;
import io.nvmf.codec.rdma.AcceptData;
import io.nvmf.codec.rdma.ConnectRequestData;
import io.nvmf.codec.rdma.RejectData;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Whatever a peer sends: a decoder gives a value or throws what its documentation says, and nothing else. */
class RandomBytesTest {
    private interface Decoder {
        Object decode(ByteBuffer source, int offset);
    }

    private record Decoded(int bytes, Decoder decoder) {}

    private static final Map<String, Decoded> DECODERS = new TreeMap<>(Map.ofEntries(
            Map.entry("identify controller", new Decoded(4096, (b, o) -> read(IdentifyController.decode(b, o)))),
            Map.entry("identify namespace", new Decoded(4096, (b, o) -> read(IdentifyNamespace.decode(b, o)))),
            Map.entry("independent", new Decoded(4096, IndependentNamespace::decode)),
            Map.entry("nvm controller", new Decoded(4096, NvmCommandSetController::decode)),
            Map.entry("nvm namespace", new Decoded(4096, NvmCommandSetNamespace::decode)),
            Map.entry("namespace descriptors", new Decoded(4096, NamespaceDescriptors::decode)),
            Map.entry("namespace list", new Decoded(4096, NamespaceList::decode)),
            Map.entry("controller list", new Decoded(4096, ControllerList::decode)),
            Map.entry("supported logs", new Decoded(1024, (b, o) -> SupportedLogPages.isSupported(b, o, 255))),
            Map.entry("error log", new Decoded(64, ErrorLogEntry::decode)),
            Map.entry("smart log", new Decoded(512, SmartLog::decode)),
            Map.entry("firmware log", new Decoded(512, FirmwareSlotLog::decode)),
            Map.entry("changed namespaces", new Decoded(4096, ChangedNamespaceList::decode)),
            Map.entry("effects", new Decoded(4096, CommandsSupportedAndEffects::decode)),
            Map.entry("connect request", new Decoded(ConnectRequestData.BYTES, ConnectRequestData::decode)),
            Map.entry("accept", new Decoded(AcceptData.BYTES, AcceptData::decode)),
            Map.entry("reject", new Decoded(RejectData.BYTES, RejectData::decode)),
            Map.entry("discovery header", new Decoded(1024, DiscoveryLogHeader::decode)),
            Map.entry("discovery entry", new Decoded(1024, (b, o) -> read(DiscoveryLogEntry.decode(b, o))))));

    @Test
    void shouldDecodeAnyBytes() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        DECODERS.forEach((name, decoded) -> {
            for (int i = 0; i < 50; i++) {
                ByteBuffer source = randomBytes(random, 7 + decoded.bytes());
                try {
                    decoded.decoder().decode(source, 7);
                } catch (RuntimeException e) {
                    fail(name + " with seed " + seed, e);
                }
            }
        });
    }

    @Test
    void shouldSayWhenBytesAreTooFew() {
        DECODERS.forEach((name, decoded) -> {
            ByteBuffer source = Bytes.allocate(decoded.bytes() + 20);
            source.limit(decoded.bytes());
            assertThrows(IllegalArgumentException.class, () -> decoded.decoder().decode(source, 1), name);
            decoded.decoder().decode(source, 0);
        });
    }

    @Test
    void shouldDecodeOrRefuseAnyAnaLog() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 20_000; i++) {
            ByteBuffer source = randomBytes(random, random.nextInt(400));
            if (source.capacity() > 24) {
                source.putShort(8, (short) random.nextInt(4));
                source.putInt(20, random.nextInt(30));
            }
            try {
                AnaLog.decode(source, 0, source.capacity());
            } catch (IllegalArgumentException refused) {
                // documented
            } catch (RuntimeException e) {
                fail("seed " + seed + ": " + TestBytes.hex(source, 0, source.capacity()), e);
            }
        }
    }

    @Test
    void shouldReadAnyCommandAndCompletion() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        Sqe sqe = new Sqe();
        Cqe cqe = new Cqe();
        for (int i = 0; i < 5_000; i++) {
            ByteBuffer entry = randomBytes(random, Sqe.BYTES);
            try {
                readCommand(sqe.wrap(entry, 0));
                cqe.wrap(entry, 48);
                for (Kind kind : Kind.values()) {
                    StatusNames.describe(cqe.status(), kind);
                }
                AsyncEvent.decode(cqe.dw0());
            } catch (RuntimeException e) {
                fail("seed " + seed + ": " + TestBytes.hex(entry, 0, Sqe.BYTES), e);
            }
        }
    }

    @Test
    void shouldDecodeAnyConnectData() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 1000; i++) {
            ByteBuffer source = randomBytes(random, ConnectData.BYTES);
            try {
                ConnectData data = ConnectData.decode(source, 0);
                Nqn.problem(data.hostNqn());
                Nqn.problem(data.subsystemNqn());
            } catch (RuntimeException e) {
                fail("seed " + seed, e);
            }
        }
    }

    private static void readCommand(Sqe sqe) {
        IdentifyCommand.cns(sqe);
        IdentifyCommand.controllerId(sqe);
        GetLogPageCommand.lengthBytes(sqe);
        GetLogPageCommand.logOffset(sqe);
        FeaturesCommand.featureId(sqe);
        NumberOfQueues.isValid(FeaturesCommand.value(sqe));
        ReadWriteCommand.blockCount(sqe);
        WriteZeroesCommand.deallocate(sqe);
        DatasetManagementCommand.rangeCount(sqe);
        ConnectCommand.keepAliveTimeoutMs(sqe);
        PropertyCommand.sizeBytes(sqe);
        Property.at(PropertyCommand.propertyOffset(sqe));
        sqe.sgl1().keyedLengthBytes();
    }

    private static Object read(IdentifyController controller) {
        return controller.serialNumber()
                + controller.subsystemNqn()
                + controller.maxDataTransferBytes(15)
                + controller.inCapsuleDataBytes();
    }

    private static Object read(IdentifyNamespace namespace) {
        return namespace.currentLbaFormat().toString() + namespace.nguid();
    }

    private static Object read(DiscoveryLogEntry entry) {
        return entry.serviceId() + entry.subsystemNqn() + entry.transportAddress();
    }

    /** Bytes of which some buffers are mostly zero and some mostly FFh, as real faults are. */
    private static ByteBuffer randomBytes(Random random, int lengthBytes) {
        ByteBuffer buffer = Bytes.allocate(lengthBytes);
        random.nextBytes(buffer.array());
        int keepOneOf = 1 + random.nextInt(8);
        byte fill = (byte) (random.nextBoolean() ? 0 : 0xFF);
        for (int i = 0; i < lengthBytes; i++) {
            if (i % keepOneOf != 0) {
                buffer.put(i, fill);
            }
        }
        return buffer;
    }
}
