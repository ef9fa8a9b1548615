package io.nvmf.tools.output;

import static io.nvmf.codec.identify.IdentifyNamespace.Field.DLFEAT;
import static io.nvmf.codec.identify.IdentifyNamespace.Field.DPC;
import static io.nvmf.codec.identify.IdentifyNamespace.Field.DPS;
import static io.nvmf.codec.identify.IdentifyNamespace.Field.FLBAS;
import static io.nvmf.codec.identify.IdentifyNamespace.Field.FPI;
import static io.nvmf.codec.identify.IdentifyNamespace.Field.MC;
import static io.nvmf.codec.identify.IdentifyNamespace.Field.NCAP;
import static io.nvmf.codec.identify.IdentifyNamespace.Field.NLBAF;
import static io.nvmf.codec.identify.IdentifyNamespace.Field.NMIC;
import static io.nvmf.codec.identify.IdentifyNamespace.Field.NSFEAT;
import static io.nvmf.codec.identify.IdentifyNamespace.Field.NSZE;
import static io.nvmf.codec.identify.IdentifyNamespace.Field.NUSE;
import static io.nvmf.codec.identify.IdentifyNamespace.Field.RESCAP;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nvmf.codec.identify.IdentifyNamespace;
import io.nvmf.codec.identify.IdentifyNamespace.Field;
import io.nvmf.codec.identify.IdentifyNamespace.LbaFormat;
import java.io.PrintStream;
import java.util.EnumSet;
import java.util.Set;

/** Identify Namespace data as named values, and its LBA formats. */
public final class NamespaceFields {
    private static final Set<Field> HEX =
            EnumSet.of(NSZE, NCAP, NUSE, NSFEAT, FLBAS, MC, DPC, DPS, NMIC, RESCAP, FPI, DLFEAT);

    private NamespaceFields() {}

    public static void print(PrintStream out, IdentifyNamespace namespace) {
        fields(namespace).print(out);
        for (int i = 0; i < formatCount(namespace); i++) {
            LbaFormat format = namespace.lbaFormat(i);
            out.printf(
                    "lbaf %2d : ms:%-3d lbads:%-2d rp:%d%s%n",
                    i,
                    format.metadataBytes(),
                    format.blockShift(),
                    format.relativePerformance(),
                    i == namespace.currentLbaFormatIndex() ? " (in use)" : "");
        }
    }

    public static ObjectNode toJson(IdentifyNamespace namespace) {
        ObjectNode json = fields(namespace).toJson();
        ArrayNode formats = json.putArray("lbafs");
        for (int i = 0; i < formatCount(namespace); i++) {
            LbaFormat format = namespace.lbaFormat(i);
            formats.addObject()
                    .put("ms", format.metadataBytes())
                    .put("ds", format.blockShift())
                    .put("rp", format.relativePerformance());
        }
        return json;
    }

    private static Fields fields(IdentifyNamespace namespace) {
        return new Fields()
                .putAll(namespace, EnumSet.allOf(Field.class), HEX)
                .put("nguid", namespace.nguid().toString())
                .put("eui64", String.format("%016x", namespace.eui64()));
    }

    private static int formatCount(IdentifyNamespace namespace) {
        return (int) Math.min(namespace.get(NLBAF) + 1, IdentifyNamespace.MAX_LBA_FORMATS);
    }
}
