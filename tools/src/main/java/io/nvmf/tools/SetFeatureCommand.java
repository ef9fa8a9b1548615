package io.nvmf.tools;

import static io.nvmf.tools.CommonOptions.flag;
import static io.nvmf.tools.CommonOptions.value;

import io.nvmf.codec.feature.FeatureId;
import io.nvmf.codec.feature.FeaturesCommand;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.commons.cli.Options;

/** {@code nvmf set-feature}: Set Features. */
final class SetFeatureCommand extends DeviceCommand {
    private static final String FEATURE_ID = "feature-id";
    private static final String VALUE = "value";
    private static final String CDW12 = "cdw12";
    private static final String DATA_LENGTH = "data-len";
    private static final String DATA = "data";
    private static final String SAVE = "save";
    private static final int MAX_DATA_BYTES = 1 << 20;

    SetFeatureCommand() {
        super("set-feature", "change the value of a feature (Set Features)", Queues.ADMIN);
    }

    @Override
    List<String> exampleOptions() {
        return List.of(
                "-f 0x84 -n 1 -V 1", "--feature-id=0x0e --value=1767225600000", "-f 0x16 -l 512 -d behavior.bin");
    }

    @Override
    void addOptions(Options options) {
        options.addOption(value("f", FEATURE_ID, "FID", "feature identifier, needed"))
                .addOption(value(
                        "V",
                        VALUE,
                        "N",
                        "command dword 11; with the timestamp (0x0e) milliseconds since 1970 (default 0)"))
                .addOption(DeviceOptions.namespace("namespace, for a feature that each has (default: none)"))
                .addOption(value("c", CDW12, "N", "command dword 12 (default 0)"))
                .addOption(value("l", DATA_LENGTH, "BYTES", "length of its data (default: what the feature has)"))
                .addOption(value("d", DATA, "FILE", "file with its data, - for standard input"))
                .addOption(flag("s", SAVE, "keep the value when the controller starts anew (SV)"));
    }

    @Override
    Action prepare(Arguments arguments) throws CommandException {
        int featureId = (int) arguments.requiredUnsigned(FEATURE_ID, 0xFF);
        boolean isTimestamp = featureId == FeatureId.TIMESTAMP && !arguments.has(DATA);
        long value = arguments.unsigned(VALUE, 0, isTimestamp ? 0xFFFF_FFFF_FFFFL : 0xFFFF_FFFFL);
        long cdw12 = arguments.unsigned(CDW12, 0, 0xFFFF_FFFFL);
        int dataBytes = (int) arguments.unsigned(DATA_LENGTH, FeatureNames.dataBytes(featureId), MAX_DATA_BYTES);
        boolean save = arguments.has(SAVE);
        if (dataBytes > 0 && !isTimestamp && !arguments.has(DATA)) {
            throw new UsageException("the data of the feature is missing: give --" + DATA);
        }
        if (dataBytes == 0 && arguments.has(DATA)) {
            throw new UsageException(
                    "--" + DATA + " needs --" + DATA_LENGTH + ", for the feature has no data of its own");
        }
        String file = arguments.text(DATA, "");
        return (device, console) -> {
            ByteBuffer data = null;
            if (isTimestamp) {
                data = Device.buffer(dataBytes).putLong(0, value);
            } else if (dataBytes > 0) {
                data = InputFile.read(console, file, dataBytes);
            }
            device.admin(
                    sqe -> {
                        FeaturesCommand.encodeSet(sqe, featureId, isTimestamp ? 0 : value)
                                .nsid(device.nsidOr(0))
                                .cdw(12, cdw12);
                        FeaturesCommand.save(sqe, save);
                    },
                    data);
            console.out()
                    .printf(
                            "set-feature:%#04x (%s), value:%#010x, cdw12:%#010x, save:%d%n",
                            featureId, FeatureNames.of(featureId), value, cdw12, save ? 1 : 0);
        };
    }
}
