package io.nvmf.codec.identify;

/** CNS values: which data structure an Identify command asks for (NVMe Base 2.0 s5.17.1). */
public final class Cns {
    private Cns() {}

    public static final int NAMESPACE = 0x00;
    public static final int CONTROLLER = 0x01;
    public static final int ACTIVE_NAMESPACE_LIST = 0x02;
    public static final int NAMESPACE_DESCRIPTORS = 0x03;
    public static final int NVM_SET_LIST = 0x04;
    /** Namespace data of one I/O command set, named by CSI. */
    public static final int COMMAND_SET_NAMESPACE = 0x05;
    /** Controller data of one I/O command set, named by CSI. */
    public static final int COMMAND_SET_CONTROLLER = 0x06;

    public static final int COMMAND_SET_ACTIVE_NAMESPACE_LIST = 0x07;
    /** Namespace data that is the same for all I/O command sets. */
    public static final int INDEPENDENT_NAMESPACE = 0x08;

    public static final int ALLOCATED_NAMESPACE_LIST = 0x10;
    public static final int ALLOCATED_NAMESPACE = 0x11;
    public static final int NAMESPACE_CONTROLLER_LIST = 0x12;
    public static final int CONTROLLER_LIST = 0x13;
    public static final int PRIMARY_CONTROLLER_CAPABILITIES = 0x14;
    public static final int SECONDARY_CONTROLLER_LIST = 0x15;
    public static final int NAMESPACE_GRANULARITY_LIST = 0x16;
    public static final int UUID_LIST = 0x17;
    public static final int DOMAIN_LIST = 0x18;
    public static final int ENDURANCE_GROUP_LIST = 0x19;
    public static final int COMMAND_SET_ALLOCATED_NAMESPACE_LIST = 0x1A;
    public static final int COMMAND_SET_ALLOCATED_NAMESPACE = 0x1B;
    public static final int COMMAND_SET_COMBINATIONS = 0x1C;
}
