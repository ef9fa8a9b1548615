package io.nvmf.transport.rdma.nativeverbs;

import io.nvmf.transport.rdma.RdmaException;

/**
 * Where the fields of the C structures are, and the numbers of their enumerations (infiniband/verbs.h and
 * rdma/rdma_cma.h of rdma-core). These headers are the libraries' binary interface and only ever grow at the end; they
 * are the same on x86-64 and aarch64 up to the fields named here. What a call has filled in is checked against what is
 * known already ({@link #require}) before it is trusted.
 */
final class Layout {
    static final int RDMA_PS_TCP = 0x106;
    static final int RDMA_OPTION_ID = 0;
    static final int RDMA_OPTION_ID_REUSEADDR = 1;
    static final int RDMA_OPTION_ID_AFONLY = 2;
    static final int IBV_QPT_RC = 2;
    static final int IBV_TRANSPORT_IWARP = 1;
    static final int IBV_ACCESS_LOCAL_WRITE = 1;
    static final int IBV_ACCESS_REMOTE_WRITE = 2;
    static final int IBV_ACCESS_REMOTE_READ = 4;
    static final int IBV_SEND_SIGNALED = 2;
    static final int IBV_WC_WITH_INV = 8;
    static final int IBV_WR_RDMA_WRITE = 0;
    static final int IBV_WR_SEND = 2;
    static final int IBV_WR_RDMA_READ = 4;
    static final int IBV_WR_SEND_WITH_INV = 9;

    /** struct rdma_cm_id. */
    static final int ID_VERBS = 0;

    static final int ID_CHANNEL = 8;
    static final int ID_QP = 24;
    static final int ID_SRC_ADDR = 32;
    static final int ID_DST_ADDR = 160;
    static final int ID_PS = 344;
    static final int ID_BYTES = 348;

    /** struct rdma_cm_event. */
    static final int EVENT_ID = 0;

    static final int EVENT_LISTEN_ID = 8;
    static final int EVENT_TYPE = 16;
    static final int EVENT_STATUS = 20;
    static final int EVENT_CONN = 24;
    static final int EVENT_BYTES = 48;

    /** struct rdma_conn_param. */
    static final int CONN_PRIVATE_DATA = 0;

    static final int CONN_PRIVATE_DATA_LEN = 8;
    static final int CONN_RESPONDER_RESOURCES = 9;
    static final int CONN_INITIATOR_DEPTH = 10;
    static final int CONN_RETRY_COUNT = 12;
    static final int CONN_RNR_RETRY_COUNT = 13;
    static final int CONN_BYTES = 24;

    /** struct rdma_event_channel. */
    static final int EVENT_CHANNEL_FD = 0;

    static final int EVENT_CHANNEL_BYTES = 4;

    /** struct ibv_comp_channel. */
    static final int COMP_CHANNEL_CONTEXT = 0;

    static final int COMP_CHANNEL_FD = 8;
    static final int COMP_CHANNEL_BYTES = 12;

    /** struct ibv_device. */
    static final int DEVICE_TRANSPORT = 20;

    static final int DEVICE_BYTES = 24;

    /** struct ibv_context; the functions are in its {@code ops}. */
    static final int CONTEXT_DEVICE = 0;

    static final int CONTEXT_POLL_CQ = 96;
    static final int CONTEXT_REQ_NOTIFY_CQ = 104;
    static final int CONTEXT_POST_SEND = 208;
    static final int CONTEXT_POST_RECV = 216;
    static final int CONTEXT_NUM_COMP_VECTORS = 272;
    static final int CONTEXT_BYTES = 276;

    /** struct ibv_device_attr. */
    static final int ATTR_VENDOR_ID = 96;

    static final int ATTR_VENDOR_PART_ID = 100;
    static final int ATTR_MAX_QP_WR = 112;
    static final int ATTR_MAX_SGE = 120;
    static final int ATTR_MAX_CQE = 132;
    static final int ATTR_MAX_QP_RD_ATOM = 144;
    static final int ATTR_MAX_QP_INIT_RD_ATOM = 156;
    /** With room to grow. */
    static final int ATTR_BYTES = 1024;

    /** struct ibv_pd. */
    static final int PD_CONTEXT = 0;

    static final int PD_BYTES = 8;

    /** struct ibv_mr. */
    static final int MR_ADDR = 16;

    static final int MR_LENGTH = 24;
    static final int MR_LKEY = 36;
    static final int MR_RKEY = 40;
    static final int MR_BYTES = 44;

    /** struct ibv_cq. */
    static final int CQ_CONTEXT = 0;

    static final int CQ_CHANNEL = 8;
    static final int CQ_CQE = 28;
    static final int CQ_BYTES = 32;

    /** struct ibv_qp. */
    static final int QP_CONTEXT = 0;

    static final int QP_PD = 16;
    static final int QP_SEND_CQ = 24;
    static final int QP_RECV_CQ = 32;
    static final int QP_TYPE = 60;
    static final int QP_BYTES = 64;

    /** struct ibv_qp_init_attr. */
    static final int INIT_SEND_CQ = 8;

    static final int INIT_RECV_CQ = 16;
    static final int INIT_MAX_SEND_WR = 32;
    static final int INIT_MAX_RECV_WR = 36;
    static final int INIT_MAX_SEND_SGE = 40;
    static final int INIT_MAX_RECV_SGE = 44;
    static final int INIT_QP_TYPE = 52;
    static final int INIT_BYTES = 64;

    /** struct ibv_sge. */
    static final int SGE_ADDR = 0;

    static final int SGE_LENGTH = 8;
    static final int SGE_LKEY = 12;
    static final int SGE_BYTES = 16;

    /** struct ibv_send_wr. */
    static final int SEND_WR_ID = 0;

    static final int SEND_NEXT = 8;
    static final int SEND_SG_LIST = 16;
    static final int SEND_NUM_SGE = 24;
    static final int SEND_OPCODE = 28;
    static final int SEND_FLAGS = 32;
    static final int SEND_INVALIDATE_RKEY = 36;
    static final int SEND_REMOTE_ADDR = 40;
    static final int SEND_RKEY = 48;
    static final int SEND_BYTES = 128;

    /** struct ibv_recv_wr. */
    static final int RECV_WR_ID = 0;

    static final int RECV_NEXT = 8;
    static final int RECV_SG_LIST = 16;
    static final int RECV_NUM_SGE = 24;
    static final int RECV_BYTES = 32;

    /** struct ibv_wc. */
    static final int WC_WR_ID = 0;

    static final int WC_STATUS = 8;
    static final int WC_BYTE_LEN = 20;
    static final int WC_INVALIDATED_RKEY = 24;
    static final int WC_FLAGS = 36;
    static final int WC_BYTES = 48;

    private Layout() {}

    /** Refuses to go on with structures that are not as this table says. */
    static void require(boolean asExpected, String structure) throws RdmaException {
        if (!asExpected) {
            throw new RdmaException("the libibverbs and librdmacm of this machine lay out " + structure
                    + " in a way that is not known here: use those of another rdma-core");
        }
    }
}
