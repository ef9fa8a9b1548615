package io.nvmf.codec.log;

import io.nvmf.codec.Bytes;
import java.nio.ByteBuffer;

/**
 * The Feature Identifiers Supported and Effects log, LID 12h (NVMe Base 2.0 s5.16.1.17): 256 entries of 4 bytes, one a
 * feature.
 */
public final class FeaturesSupportedAndEffects {
    public static final int BYTES = 1024;

    // Bits of an entry.
    /** The feature is supported. */
    public static final int SUPPORTED = 1;
    /** Setting it changes what a namespace can do. */
    public static final int NAMESPACE_CAPABILITY_CHANGE = 1 << 2;
    /** Setting it changes what the controller can do. */
    public static final int CONTROLLER_CAPABILITY_CHANGE = 1 << 4;
    /** 31:20, the scope: a namespace. */
    public static final int SCOPE_NAMESPACE = 1 << 20;
    /** 31:20, the scope: a controller. */
    public static final int SCOPE_CONTROLLER = 1 << 21;

    private FeaturesSupportedAndEffects() {}

    /** The entry of a feature. */
    public static int entry(ByteBuffer source, int offset, int featureId) {
        return Bytes.requireRange(source, offset, BYTES).getInt(offset + 4 * (featureId & 0xFF));
    }

    public static void entry(ByteBuffer target, int offset, int featureId, int entry) {
        Bytes.requireRange(target, offset, BYTES).putInt(offset + 4 * (featureId & 0xFF), entry);
    }
}
