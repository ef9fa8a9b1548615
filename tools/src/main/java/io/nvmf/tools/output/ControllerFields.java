package io.nvmf.tools.output;

import static io.nvmf.codec.identify.IdentifyController.Field.CMIC;
import static io.nvmf.codec.identify.IdentifyController.Field.CNTLID;
import static io.nvmf.codec.identify.IdentifyController.Field.CQES;
import static io.nvmf.codec.identify.IdentifyController.Field.CTRATT;
import static io.nvmf.codec.identify.IdentifyController.Field.FNA;
import static io.nvmf.codec.identify.IdentifyController.Field.FRMW;
import static io.nvmf.codec.identify.IdentifyController.Field.IEEE;
import static io.nvmf.codec.identify.IdentifyController.Field.IOCCSZ;
import static io.nvmf.codec.identify.IdentifyController.Field.LPA;
import static io.nvmf.codec.identify.IdentifyController.Field.OACS;
import static io.nvmf.codec.identify.IdentifyController.Field.OAES;
import static io.nvmf.codec.identify.IdentifyController.Field.OFCS;
import static io.nvmf.codec.identify.IdentifyController.Field.ONCS;
import static io.nvmf.codec.identify.IdentifyController.Field.RAB;
import static io.nvmf.codec.identify.IdentifyController.Field.SANICAP;
import static io.nvmf.codec.identify.IdentifyController.Field.SGLS;
import static io.nvmf.codec.identify.IdentifyController.Field.SQES;
import static io.nvmf.codec.identify.IdentifyController.Field.SSVID;
import static io.nvmf.codec.identify.IdentifyController.Field.VER;
import static io.nvmf.codec.identify.IdentifyController.Field.VID;
import static io.nvmf.codec.identify.IdentifyController.Field.VWC;

import io.nvmf.codec.identify.IdentifyController;
import io.nvmf.codec.identify.IdentifyController.Field;
import java.util.EnumSet;
import java.util.Set;

/** Identify Controller data as named values. */
public final class ControllerFields {
    private static final Set<Field> HEX = EnumSet.of(
            VID, SSVID, IEEE, CMIC, CNTLID, VER, OAES, CTRATT, OACS, FRMW, LPA, SQES, CQES, ONCS, FNA, VWC, SANICAP,
            SGLS, OFCS);

    private ControllerFields() {}

    public static Fields of(IdentifyController controller) {
        return new Fields()
                .putAll(controller, EnumSet.range(VID, SSVID), HEX)
                .put("sn", controller.serialNumber())
                .put("mn", controller.modelNumber())
                .put("fr", controller.firmwareRevision())
                .putAll(controller, EnumSet.range(RAB, Field.values()[IOCCSZ.ordinal() - 1]), HEX)
                .put("subnqn", controller.subsystemNqn())
                .putAll(controller, EnumSet.range(IOCCSZ, Field.values()[Field.values().length - 1]), HEX);
    }
}
