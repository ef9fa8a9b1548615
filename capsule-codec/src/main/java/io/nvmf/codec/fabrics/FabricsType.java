package io.nvmf.codec.fabrics;

/** FCTYPE, byte 4 of a fabrics command (NVMe-oF 1.1 s3). Bits 1:0 tell the data direction as those of an opcode do. */
public final class FabricsType {
    private FabricsType() {}

    public static final int PROPERTY_SET = 0x00;
    public static final int CONNECT = 0x01;
    public static final int PROPERTY_GET = 0x04;
    public static final int AUTHENTICATION_SEND = 0x05;
    public static final int AUTHENTICATION_RECEIVE = 0x06;
    public static final int DISCONNECT = 0x08;
}
