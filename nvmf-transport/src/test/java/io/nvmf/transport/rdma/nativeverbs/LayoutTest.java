package io.nvmf.transport.rdma.nativeverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nvmf.transport.rdma.Completions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The table of offsets and numbers is the one that a C compiler finds in the headers. */
class LayoutTest {
    private static final String HEADERS =
            "#include <stddef.h>\n#include <stdio.h>\n#include <infiniband/verbs.h>\n#include <rdma/rdma_cma.h>\n";

    @TempDir
    private Path directory;

    private final Map<String, Integer> table = new LinkedHashMap<>();

    private void field(String structure, String field, int offset) {
        table.put("offsetof(struct " + structure + ", " + field + ")", offset);
    }

    private void size(String structure, int bytes) {
        table.put("sizeof(struct " + structure + ")", bytes);
    }

    private void number(String name, int value) {
        table.put(name, value);
    }

    @Test
    void shouldBeAsTheHeadersSay() throws Exception {
        Assumptions.assumeTrue(
                compiles("int main(void) { return 0; }\n"),
                "there is no gcc, or no infiniband/verbs.h and rdma/rdma_cma.h (Debian: libibverbs-dev, librdmacm-dev)");
        fillConnectionManager();
        fillVerbs();
        fillWork();
        fillNumbers();
        String program = table.keySet().stream()
                .map(expression -> "  printf(\"%ld\\n\", (long) " + expression + ");\n")
                .collect(Collectors.joining("", "int main(void) {\n", "  return 0;\n}\n"));
        assertTrue(compiles(program), "the program of all expressions compiles");
        String[] found = run(directory.resolve("program").toString()).split("\n");
        assertEquals(table.size(), found.length);
        int i = 0;
        for (Map.Entry<String, Integer> entry : table.entrySet()) {
            assertEquals(entry.getValue().toString(), found[i++], entry.getKey());
        }
    }

    private boolean compiles(String program) throws IOException, InterruptedException {
        Path source = Files.writeString(directory.resolve("program.c"), HEADERS + program);
        try {
            Process gcc = new ProcessBuilder(
                            "gcc", "-o", directory.resolve("program").toString(), source.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(directory.resolve("gcc.log").toFile())
                    .start();
            return gcc.waitFor() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    private static String run(String program) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(program).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        assertEquals(0, process.waitFor());
        return said;
    }

    private void fillConnectionManager() {
        field("rdma_cm_id", "verbs", Layout.ID_VERBS);
        field("rdma_cm_id", "channel", Layout.ID_CHANNEL);
        field("rdma_cm_id", "qp", Layout.ID_QP);
        field("rdma_cm_id", "route.addr.src_addr", Layout.ID_SRC_ADDR);
        field("rdma_cm_id", "route.addr.dst_addr", Layout.ID_DST_ADDR);
        field("rdma_cm_id", "ps", Layout.ID_PS);
        field("rdma_cm_event", "id", Layout.EVENT_ID);
        field("rdma_cm_event", "listen_id", Layout.EVENT_LISTEN_ID);
        field("rdma_cm_event", "event", Layout.EVENT_TYPE);
        field("rdma_cm_event", "status", Layout.EVENT_STATUS);
        field("rdma_cm_event", "param.conn", Layout.EVENT_CONN);
        field("rdma_conn_param", "private_data", Layout.CONN_PRIVATE_DATA);
        field("rdma_conn_param", "private_data_len", Layout.CONN_PRIVATE_DATA_LEN);
        field("rdma_conn_param", "responder_resources", Layout.CONN_RESPONDER_RESOURCES);
        field("rdma_conn_param", "initiator_depth", Layout.CONN_INITIATOR_DEPTH);
        field("rdma_conn_param", "retry_count", Layout.CONN_RETRY_COUNT);
        field("rdma_conn_param", "rnr_retry_count", Layout.CONN_RNR_RETRY_COUNT);
        size("rdma_conn_param", Layout.CONN_BYTES);
        field("rdma_event_channel", "fd", Layout.EVENT_CHANNEL_FD);
    }

    private void fillVerbs() {
        field("ibv_comp_channel", "context", Layout.COMP_CHANNEL_CONTEXT);
        field("ibv_comp_channel", "fd", Layout.COMP_CHANNEL_FD);
        field("ibv_device", "transport_type", Layout.DEVICE_TRANSPORT);
        field("ibv_context", "device", Layout.CONTEXT_DEVICE);
        field("ibv_context", "ops.poll_cq", Layout.CONTEXT_POLL_CQ);
        field("ibv_context", "ops.req_notify_cq", Layout.CONTEXT_REQ_NOTIFY_CQ);
        field("ibv_context", "ops.post_send", Layout.CONTEXT_POST_SEND);
        field("ibv_context", "ops.post_recv", Layout.CONTEXT_POST_RECV);
        field("ibv_context", "num_comp_vectors", Layout.CONTEXT_NUM_COMP_VECTORS);
        field("ibv_device_attr", "vendor_id", Layout.ATTR_VENDOR_ID);
        field("ibv_device_attr", "vendor_part_id", Layout.ATTR_VENDOR_PART_ID);
        field("ibv_device_attr", "max_qp_wr", Layout.ATTR_MAX_QP_WR);
        field("ibv_device_attr", "max_sge", Layout.ATTR_MAX_SGE);
        field("ibv_device_attr", "max_cqe", Layout.ATTR_MAX_CQE);
        field("ibv_device_attr", "max_qp_rd_atom", Layout.ATTR_MAX_QP_RD_ATOM);
        field("ibv_device_attr", "max_qp_init_rd_atom", Layout.ATTR_MAX_QP_INIT_RD_ATOM);
        table.put("sizeof(struct ibv_device_attr) <= " + Layout.ATTR_BYTES, 1);
        field("ibv_pd", "context", Layout.PD_CONTEXT);
        field("ibv_mr", "addr", Layout.MR_ADDR);
        field("ibv_mr", "length", Layout.MR_LENGTH);
        field("ibv_mr", "lkey", Layout.MR_LKEY);
        field("ibv_mr", "rkey", Layout.MR_RKEY);
        field("ibv_cq", "context", Layout.CQ_CONTEXT);
        field("ibv_cq", "channel", Layout.CQ_CHANNEL);
        field("ibv_cq", "cqe", Layout.CQ_CQE);
        field("ibv_qp", "context", Layout.QP_CONTEXT);
        field("ibv_qp", "pd", Layout.QP_PD);
        field("ibv_qp", "send_cq", Layout.QP_SEND_CQ);
        field("ibv_qp", "recv_cq", Layout.QP_RECV_CQ);
        field("ibv_qp", "qp_type", Layout.QP_TYPE);
        field("ibv_qp_init_attr", "send_cq", Layout.INIT_SEND_CQ);
        field("ibv_qp_init_attr", "recv_cq", Layout.INIT_RECV_CQ);
        field("ibv_qp_init_attr", "cap.max_send_wr", Layout.INIT_MAX_SEND_WR);
        field("ibv_qp_init_attr", "cap.max_recv_wr", Layout.INIT_MAX_RECV_WR);
        field("ibv_qp_init_attr", "cap.max_send_sge", Layout.INIT_MAX_SEND_SGE);
        field("ibv_qp_init_attr", "cap.max_recv_sge", Layout.INIT_MAX_RECV_SGE);
        field("ibv_qp_init_attr", "qp_type", Layout.INIT_QP_TYPE);
        size("ibv_qp_init_attr", Layout.INIT_BYTES);
    }

    private void fillWork() {
        field("ibv_sge", "addr", Layout.SGE_ADDR);
        field("ibv_sge", "length", Layout.SGE_LENGTH);
        field("ibv_sge", "lkey", Layout.SGE_LKEY);
        size("ibv_sge", Layout.SGE_BYTES);
        field("ibv_send_wr", "wr_id", Layout.SEND_WR_ID);
        field("ibv_send_wr", "next", Layout.SEND_NEXT);
        field("ibv_send_wr", "sg_list", Layout.SEND_SG_LIST);
        field("ibv_send_wr", "num_sge", Layout.SEND_NUM_SGE);
        field("ibv_send_wr", "opcode", Layout.SEND_OPCODE);
        field("ibv_send_wr", "send_flags", Layout.SEND_FLAGS);
        field("ibv_send_wr", "invalidate_rkey", Layout.SEND_INVALIDATE_RKEY);
        field("ibv_send_wr", "wr.rdma.remote_addr", Layout.SEND_REMOTE_ADDR);
        field("ibv_send_wr", "wr.rdma.rkey", Layout.SEND_RKEY);
        size("ibv_send_wr", Layout.SEND_BYTES);
        field("ibv_recv_wr", "wr_id", Layout.RECV_WR_ID);
        field("ibv_recv_wr", "next", Layout.RECV_NEXT);
        field("ibv_recv_wr", "sg_list", Layout.RECV_SG_LIST);
        field("ibv_recv_wr", "num_sge", Layout.RECV_NUM_SGE);
        size("ibv_recv_wr", Layout.RECV_BYTES);
        field("ibv_wc", "wr_id", Layout.WC_WR_ID);
        field("ibv_wc", "status", Layout.WC_STATUS);
        field("ibv_wc", "byte_len", Layout.WC_BYTE_LEN);
        field("ibv_wc", "invalidated_rkey", Layout.WC_INVALIDATED_RKEY);
        field("ibv_wc", "wc_flags", Layout.WC_FLAGS);
        size("ibv_wc", Layout.WC_BYTES);
    }

    private void fillNumbers() {
        number("RDMA_PS_TCP", Layout.RDMA_PS_TCP);
        number("RDMA_OPTION_ID", Layout.RDMA_OPTION_ID);
        number("RDMA_OPTION_ID_REUSEADDR", Layout.RDMA_OPTION_ID_REUSEADDR);
        number("RDMA_OPTION_ID_AFONLY", Layout.RDMA_OPTION_ID_AFONLY);
        number("IBV_QPT_RC", Layout.IBV_QPT_RC);
        number("IBV_TRANSPORT_IWARP", Layout.IBV_TRANSPORT_IWARP);
        number("IBV_ACCESS_LOCAL_WRITE", Layout.IBV_ACCESS_LOCAL_WRITE);
        number("IBV_ACCESS_REMOTE_WRITE", Layout.IBV_ACCESS_REMOTE_WRITE);
        number("IBV_ACCESS_REMOTE_READ", Layout.IBV_ACCESS_REMOTE_READ);
        number("IBV_SEND_SIGNALED", Layout.IBV_SEND_SIGNALED);
        number("IBV_WC_WITH_INV", Layout.IBV_WC_WITH_INV);
        number("IBV_WR_RDMA_WRITE", Layout.IBV_WR_RDMA_WRITE);
        number("IBV_WR_SEND", Layout.IBV_WR_SEND);
        number("IBV_WR_RDMA_READ", Layout.IBV_WR_RDMA_READ);
        number("IBV_WR_SEND_WITH_INV", Layout.IBV_WR_SEND_WITH_INV);
        number("IBV_WC_SUCCESS", Completions.SUCCESS);
        number("IBV_WC_WR_FLUSH_ERR", Completions.FLUSHED);
        number("RDMA_CM_EVENT_CONNECT_REQUEST", CmEvent.CONNECT_REQUEST);
        for (NativeCmId.Event event : NativeCmId.Event.values()) {
            number("RDMA_CM_EVENT_" + event, event.number);
        }
    }
}
