package io.nvmf.transport.rdma.disni;

import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvRecvWR;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvSge;
import com.ibm.disni.verbs.SVCPostRecv;
import com.ibm.disni.verbs.SVCPostSend;
import com.ibm.disni.verbs.SVCPostSend.SendWRMod;
import com.ibm.disni.verbs.SVCPostSend.SgeMod;
import io.nvmf.transport.rdma.QueuePair;
import io.nvmf.transport.rdma.QueuePairSize;
import io.nvmf.transport.rdma.RdmaException;
import java.io.IOException;
import java.util.LinkedList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Posts with DiSNI's calls that are prepared once. Those of sends are filled in anew each time, one for each kind and number
 * of pieces; so each send is posted when it is added. Those of receives cannot be changed: one is kept for each place, and
 * made anew when another receive comes to it, which allocates. Hosts post the same receive, by the same work id, to the
 * same memory.
 */
final class DisniQueuePair implements QueuePair {
    private static final Logger LOG = LoggerFactory.getLogger(DisniQueuePair.class);

    private final DisniCmId id;
    private final IbvQP qp;
    private final Send sendOne;
    private final Send sendTwo;
    private final Send write;
    private final Send read;

    /** By the low bits of the work id. */
    private final Receive[] receives;

    private boolean broken;

    /** @param qp destroyed by way of the id */
    DisniQueuePair(DisniCmId id, IbvQP qp, QueuePairSize size) throws RdmaException {
        this.id = id;
        this.qp = qp;
        sendOne = Send.prepare(qp, IbvSendWR.IBV_WR_SEND, IbvSendWR.IBV_SEND_SIGNALED, 1);
        sendTwo = Send.prepare(qp, IbvSendWR.IBV_WR_SEND, IbvSendWR.IBV_SEND_SIGNALED, 2);
        write = Send.prepare(qp, IbvSendWR.IBV_WR_RDMA_WRITE, 0, 1);
        read = Send.prepare(qp, IbvSendWR.IBV_WR_RDMA_READ, IbvSendWR.IBV_SEND_SIGNALED, 1);
        int places = 1;
        while (places < size.receives()) {
            places *= 2;
        }
        receives = new Receive[places];
    }

    private record Send(SVCPostSend call, SendWRMod request) {
        static Send prepare(IbvQP qp, int opcode, int flags, int pieces) throws RdmaException {
            IbvSendWR request = new IbvSendWR();
            request.setOpcode(opcode);
            request.setSend_flags(flags);
            LinkedList<IbvSge> list = new LinkedList<>();
            for (int i = 0; i < pieces; i++) {
                list.add(new IbvSge());
            }
            request.setSg_list(list);
            return Disni.call("preparing sends", () -> {
                SVCPostSend call = qp.postSend(List.of(request), null);
                return new Send(call, call.getWrMod(0));
            });
        }

        void piece(int index, long address, int length, int key) {
            SgeMod piece = request.getSgeMod(index);
            piece.setAddr(address);
            piece.setLength(length);
            piece.setLkey(key);
        }

        void remote(long address, int key) {
            request.getRdmaMod().setRemote_addr(address);
            request.getRdmaMod().setRkey(key);
        }
    }

    private record Receive(SVCPostRecv call, long workId, long address, int length, int key) {
        static Receive prepare(IbvQP qp, long workId, long address, int length, int key) throws IOException {
            IbvSge piece = new IbvSge();
            piece.setAddr(address);
            piece.setLength(length);
            piece.setLkey(key);
            IbvRecvWR request = new IbvRecvWR();
            request.setWr_id(workId);
            request.setSg_list(new LinkedList<>(List.of(piece)));
            return new Receive(qp.postRecv(List.of(request), null), workId, address, length, key);
        }

        boolean is(long workId, long address, int length, int key) {
            return this.workId == workId && this.address == address && this.length == length && this.key == key;
        }
    }

    /** In one piece only. */
    @Override
    public boolean postReceive(
            long workId, long address1, int length1, int key1, long address2, int length2, int key2) {
        if (length2 != 0) {
            throw new UnsupportedOperationException("a host receives in one piece");
        }
        int place = (int) workId & (receives.length - 1);
        Receive receive = receives[place];
        try {
            if (receive == null || !receive.is(workId, address1, length1, key1)) {
                receive = Receive.prepare(qp, workId, address1, length1, key1);
                receives[place] = receive;
            }
            receive.call.execute();
            return true;
        } catch (IOException e) {
            LOG.debug("posting a receive: {}", Disni.text(e));
            return false;
        }
    }

    @Override
    public void addSend(long workId, long address1, int length1, int key1, long address2, int length2, int key2) {
        Send send = length2 == 0 ? sendOne : sendTwo;
        send.piece(0, address1, length1, key1);
        if (length2 != 0) {
            send.piece(1, address2, length2, key2);
        }
        post(send, workId);
    }

    /** Not possible. */
    @Override
    public void addSendWithInvalidate(long workId, long address, int length, int key, int invalidatedKey) {
        throw new UnsupportedOperationException("DiSNI has no SEND WITH INVALIDATE");
    }

    @Override
    public void addWrite(long workId, long address, int length, int key, long remoteAddress, int remoteKey) {
        write.piece(0, address, length, key);
        write.remote(remoteAddress, remoteKey);
        post(write, workId);
    }

    @Override
    public void addRead(long workId, long address, int length, int key, long remoteAddress, int remoteKey) {
        read.piece(0, address, length, key);
        read.remote(remoteAddress, remoteKey);
        post(read, workId);
    }

    private void post(Send send, long workId) {
        if (broken) {
            return;
        }
        send.request.setWr_id(workId);
        try {
            send.call.execute();
        } catch (IOException e) {
            LOG.debug("posting a send: {}", Disni.text(e));
            broken = true;
        }
    }

    /** What was added is posted already. */
    @Override
    public boolean post() {
        return !broken && qp.isOpen();
    }

    @Override
    public void close() {
        if (qp.isOpen()) {
            id.destroyQueuePair();
        }
    }
}
