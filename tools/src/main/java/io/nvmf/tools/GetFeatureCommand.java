package io.nvmf.tools;

import static io.nvmf.tools.CommonOptions.flag;
import static io.nvmf.tools.CommonOptions.value;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nvmf.codec.feature.FeatureId;
import io.nvmf.codec.feature.FeaturesCommand;
import io.nvmf.tools.output.FeatureFields;
import io.nvmf.tools.output.HexDump;
import io.nvmf.tools.output.Json;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.commons.cli.Options;

/** {@code nvmf get-feature}: Get Features. */
final class GetFeatureCommand extends DeviceCommand {
    private static final String FEATURE_ID = "feature-id";
    private static final String SELECT = "sel";
    private static final String DATA_LENGTH = "data-len";
    private static final String CDW11 = "cdw11";
    private static final String HUMAN_READABLE = "human-readable";
    private static final List<String> SELECTED = List.of("Current", "Default", "Saved", "Supported capabilities");
    /** CDW11 bit 0 of the host identifier: 16 bytes of it, the only form there is over fabrics. */
    private static final long EXTENDED_HOST_ID = 1;

    GetFeatureCommand() {
        super("get-feature", "show the value of a feature (Get Features)", Queues.ADMIN);
    }

    @Override
    List<String> exampleOptions() {
        return List.of("-f 7 -H", "--feature-id=0x06 --sel=3 -o json", "-f 0x84 -n 1");
    }

    @Override
    void addOptions(Options options) {
        options.addOption(value("f", FEATURE_ID, "FID", "feature identifier, needed"))
                .addOption(DeviceOptions.namespace("namespace, for a feature that each has (default: none)"))
                .addOption(value("s", SELECT, "N", "0 current, 1 default, 2 saved, 3 what is supported (default 0)"))
                .addOption(value("l", DATA_LENGTH, "BYTES", "length of its data (default: what the feature has)"))
                .addOption(value("c", CDW11, "N", "command dword 11 (default 0; 1 for the host identifier)"))
                .addOption(flag("H", HUMAN_READABLE, "show what the bits of the value say"))
                .addOption(DeviceOptions.rawBinary())
                .addOption(CommonOptions.outputFormat());
    }

    @Override
    Action prepare(Arguments arguments) throws CommandException {
        OutputFormat format = arguments.outputFormat();
        int featureId = (int) arguments.requiredUnsigned(FEATURE_ID, 0xFF);
        int select = (int) arguments.unsigned(SELECT, FeaturesCommand.SELECT_CURRENT, SELECTED.size() - 1);
        int usual = select == FeaturesCommand.SELECT_CAPABILITIES ? 0 : FeatureNames.dataBytes(featureId);
        int dataBytes = (int) arguments.unsigned(DATA_LENGTH, usual, 1 << 20);
        long cdw11 =
                arguments.unsigned(CDW11, featureId == FeatureId.HOST_IDENTIFIER ? EXTENDED_HOST_ID : 0, 0xFFFF_FFFFL);
        boolean explains = arguments.has(HUMAN_READABLE);
        boolean raw = arguments.has(DeviceOptions.RAW_BINARY);
        return (device, console) -> {
            ByteBuffer data = dataBytes == 0 ? null : Device.buffer(dataBytes);
            long value = device.admin(
                            sqe -> FeaturesCommand.encodeGet(sqe, featureId, select)
                                    .nsid(device.nsidOr(0))
                                    .cdw(11, cdw11),
                            data)
                    & 0xFFFF_FFFFL;
            if (raw && data != null) {
                console.writeRaw(data);
            } else if (format == OutputFormat.JSON) {
                Json.print(console.out(), toJson(featureId, select, value, explains, data));
            } else {
                console.out()
                        .printf(
                                "get-feature:%#04x (%s), %s value:%#010x%n",
                                featureId, FeatureNames.of(featureId), SELECTED.get(select), value);
                if (explains) {
                    FeatureFields.of(featureId, select, value)
                            .forEach((name, bits) ->
                                    console.out().printf("\t%s: %s%n", name, Long.toUnsignedString(bits)));
                }
                if (data != null) {
                    HexDump.print(console.out(), data);
                }
            }
        };
    }

    private static ObjectNode toJson(int featureId, int select, long value, boolean explains, ByteBuffer data) {
        ObjectNode json = Json.object()
                .put("feature", String.format("%#04x", featureId))
                .put("name", FeatureNames.of(featureId))
                .put(SELECTED.get(select), String.format("%#010x", value));
        if (explains) {
            FeatureFields.of(featureId, select, value).forEach(json.putObject("fields")::put);
        }
        if (data != null) {
            json.put("data", HexDump.line(data));
        }
        return json;
    }
}
