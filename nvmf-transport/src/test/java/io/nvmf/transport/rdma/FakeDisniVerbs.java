package io.nvmf.transport.rdma;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvRecvWR;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvSge;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.RdmaVerbs;
import com.ibm.disni.verbs.SVCDeregMr;
import com.ibm.disni.verbs.SVCPollCq;
import com.ibm.disni.verbs.SVCPostRecv;
import com.ibm.disni.verbs.SVCPostSend;
import com.ibm.disni.verbs.SVCRegMr;
import com.ibm.disni.verbs.SVCReqNotify;
import io.nvmf.transport.rdma.FakeDisni.CompChannel;
import io.nvmf.transport.rdma.FakeDisni.Cq;
import io.nvmf.transport.rdma.FakeDisni.Pd;
import io.nvmf.transport.rdma.FakeDisni.Piece;
import io.nvmf.transport.rdma.FakeDisni.Qp;
import io.nvmf.transport.rdma.FakeDisni.Work;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** The verbs of {@link FakeDisni}. What a prepared call does not let one change it keeps as it was prepared. */
final class FakeDisniVerbs extends RdmaVerbs {
    private final FakeDisni fake;
    private int nextKey = 100;

    FakeDisniVerbs(FakeDisni fake) {
        this.fake = fake;
    }

    @Override
    public IbvPd allocPd(IbvContext context) throws IOException {
        return fake.opened(new Pd(context));
    }

    @Override
    public int deallocPd(IbvPd pd) {
        if (((Pd) pd).users > 0) {
            return FakeDisni.BUSY;
        }
        pd.close();
        return fake.closed(pd);
    }

    @Override
    public IbvCompChannel createCompChannel(IbvContext context) throws IOException {
        return fake.opened(new CompChannel(context));
    }

    @Override
    public int destroyCompChannel(IbvCompChannel channel) {
        return ((CompChannel) channel).cq != null ? FakeDisni.BUSY : fake.closed(channel);
    }

    @Override
    public IbvCQ createCQ(IbvContext context, IbvCompChannel channel, int entries, int vector) throws IOException {
        fake.failIfAsked();
        if (((CompChannel) channel).cq != null) {
            throw new IOException("events of a second queue could not be told from the first's");
        }
        Cq cq = fake.opened(new Cq(context, channel));
        ((CompChannel) channel).cq = cq;
        return cq;
    }

    @Override
    public int destroyCQ(IbvCQ cq) {
        synchronized (cq) {
            if (((Cq) cq).users > 0 || ((Cq) cq).unacknowledged > 0) {
                return FakeDisni.BUSY;
            }
            ((CompChannel) cq.getChannel()).cq = null;
            cq.close();
            return fake.closed(cq);
        }
    }

    @Override
    public boolean getCqEvent(IbvCompChannel channel, IbvCQ which, int timeout) throws IOException {
        Cq cq = (Cq) which;
        synchronized (cq) {
            try {
                if (cq.events == 0) {
                    cq.wait(timeout);
                }
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            if (cq.events == 0) {
                return false;
            }
            cq.events--;
            cq.unacknowledged++;
            return true;
        }
    }

    @Override
    public int ackCqEvents(IbvCQ cq, int count) {
        synchronized (cq) {
            ((Cq) cq).unacknowledged -= count;
        }
        return 0;
    }

    @Override
    public SVCReqNotify reqNotifyCQ(IbvCQ cq, boolean solicitedOnly) {
        return new SVCReqNotify() {
            @Override
            public SVCReqNotify execute() {
                synchronized (cq) {
                    ((Cq) cq).armed = true;
                }
                return this;
            }

            @Override
            public boolean isValid() {
                return true;
            }

            @Override
            public SVCReqNotify free() {
                return this;
            }
        };
    }

    @Override
    public SVCPollCq pollCQ(IbvCQ which, IbvWC[] into, int count) {
        Cq cq = (Cq) which;
        return new SVCPollCq() {
            private int polls;

            @Override
            public SVCPollCq execute() throws IOException {
                fake.failIfAsked();
                synchronized (cq) {
                    for (polls = 0; polls < count && !cq.done.isEmpty(); polls++) {
                        copy(cq.done.remove(), into[polls]);
                    }
                }
                return this;
            }

            @Override
            public int getPolls() {
                return polls;
            }

            @Override
            public boolean isValid() {
                return true;
            }

            @Override
            public SVCPollCq free() {
                return this;
            }
        };
    }

    private static void copy(IbvWC from, IbvWC to) {
        to.setWr_id(from.getWr_id());
        to.setStatus(from.getStatus());
        if (from.getStatus() == Completions.SUCCESS) {
            to.setByte_len(from.getByte_len());
            to.setWc_flags(from.getWc_flags());
            to.setImm_data(from.getImm_data());
        }
    }

    /** Memory that is registered. */
    static final class Mr extends IbvMr {
        final Pd pd;
        final int access;

        Mr(Pd pd, long address, int length, int access, int key) throws IOException {
            super(pd.getContext(), address, length, access, key, key + 1000, 0);
            this.pd = pd;
            this.access = access;
        }
    }

    @Override
    public SVCRegMr regMr(IbvPd pd, long address, int length, int access) {
        return new SVCRegMr() {
            private Mr mr;

            @Override
            public SVCRegMr execute() throws IOException {
                fake.failIfAsked();
                mr = fake.opened(new Mr((Pd) pd, address, length, access, nextKey++));
                mr.pd.users++;
                return this;
            }

            @Override
            public IbvMr getMr() {
                return mr;
            }

            @Override
            public boolean isValid() {
                return true;
            }

            @Override
            public SVCRegMr free() {
                return this;
            }
        };
    }

    @Override
    public SVCDeregMr deregMr(IbvMr mr) {
        return new SVCDeregMr() {
            @Override
            public SVCDeregMr execute() throws IOException {
                fake.failIfAsked();
                ((Mr) mr).pd.users--;
                fake.closed(mr);
                return this;
            }

            @Override
            public boolean isValid() {
                return true;
            }

            @Override
            public SVCDeregMr free() {
                return this;
            }
        };
    }

    @Override
    public SVCPostRecv postRecv(IbvQP which, List<IbvRecvWR> requests, List<IbvRecvWR> bad) {
        Qp qp = (Qp) which;
        qp.preparedReceives++;
        IbvRecvWR request = requests.get(0);
        Work work = new Work(128, 0, request.getWr_id(), pieces(request.getSg_list()), 0, 0);
        return new SVCPostRecv() {
            @Override
            public SVCPostRecv execute() throws IOException {
                requirePostable(qp);
                synchronized (qp) {
                    if (qp.posted.size() == qp.receives) {
                        throw new IOException("j2c::post_recv: ibv_post_recv failed: Cannot allocate memory\n");
                    }
                    qp.posted.add(work);
                }
                return this;
            }

            @Override
            public RecvWRMod getWrMod(int index) {
                throw new UnsupportedOperationException();
            }

            @Override
            public boolean isValid() {
                return true;
            }

            @Override
            public SVCPostRecv free() {
                return this;
            }
        };
    }

    private void requirePostable(Qp qp) throws IOException {
        fake.failIfAsked();
        if (!qp.isOpen()) {
            throw new IOException("Trying to post on closed QP");
        }
    }

    private static List<Piece> pieces(List<IbvSge> list) {
        return list.stream()
                .map(piece -> new Piece(piece.getAddr(), piece.getLength(), piece.getLkey()))
                .toList();
    }

    @Override
    public SVCPostSend postSend(IbvQP which, List<IbvSendWR> requests, List<IbvSendWR> bad) {
        Qp qp = (Qp) which;
        qp.preparedSends++;
        ChangeableSend request = new ChangeableSend(requests.get(0));
        return new SVCPostSend() {
            @Override
            public SVCPostSend execute() throws IOException {
                requirePostable(qp);
                Work work = request.work();
                qp.sent.add(work);
                if ((work.flags() & IbvSendWR.IBV_SEND_SIGNALED) != 0) {
                    qp.cq.complete(work.workId(), Completions.SUCCESS, 0, 0, 0);
                }
                return this;
            }

            @Override
            public SendWRMod getWrMod(int index) {
                return request;
            }

            @Override
            public boolean isValid() {
                return true;
            }

            @Override
            public SVCPostSend free() {
                return this;
            }
        };
    }

    private static final class ChangeablePiece extends IbvSge implements SVCPostSend.SgeMod {}

    private static final class ChangeableRemote extends IbvSendWR.Rdma implements SVCPostSend.RdmaMod {}

    private static final class ChangeableSend implements SVCPostSend.SendWRMod {
        private final List<ChangeablePiece> pieces = new ArrayList<>();
        private final ChangeableRemote remote = new ChangeableRemote();
        private final int opcode;
        private int flags;
        private long workId;

        ChangeableSend(IbvSendWR request) {
            opcode = request.getOpcode();
            flags = request.getSend_flags();
            request.getSg_list().forEach(piece -> pieces.add(new ChangeablePiece()));
        }

        Work work() {
            return new Work(
                    opcode, flags, workId, pieces(List.copyOf(pieces)), remote.getRemote_addr(), remote.getRkey());
        }

        @Override
        public void setWr_id(long workId) {
            this.workId = workId;
        }

        @Override
        public void setSend_flags(int flags) {
            this.flags = flags;
        }

        @Override
        public long getWr_id() {
            return workId;
        }

        @Override
        public int getNum_sge() {
            return pieces.size();
        }

        @Override
        public int getOpcode() {
            return opcode;
        }

        @Override
        public int getSend_flags() {
            return flags;
        }

        @Override
        public SVCPostSend.RdmaMod getRdmaMod() {
            return remote;
        }

        @Override
        public SVCPostSend.SgeMod getSgeMod(int index) {
            return pieces.get(index);
        }
    }

    @Override
    public SVCRegMr regMr(IbvPd pd, ByteBuffer buffer, int access) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int queryOdpSupport(IbvContext context) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int expPrefetchMr(IbvMr mr, long address, int length) {
        throw new UnsupportedOperationException();
    }
}
