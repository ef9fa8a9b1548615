package io.nvmf.transport.rdma.nativeverbs;

import com.kenai.jffi.CallContext;
import com.kenai.jffi.CallingConvention;
import com.kenai.jffi.Invoker;
import com.kenai.jffi.Type;
import io.nvmf.transport.rdma.RdmaException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The verbs of the data path: infiniband/verbs.h defines them inline, as calls of functions that the device's driver put
 * into the context. Nothing is allocated and errno is not saved.
 */
final class DeviceFunctions {
    private static final Invoker INVOKER = Invoker.getInstance();
    private static final CallContext TWO_LONGS = longs(2);
    private static final CallContext THREE_LONGS = longs(3);

    private final long pollCq;
    private final long reqNotifyCq;
    private final long postSend;
    private final long postRecv;

    /** @param context struct ibv_context */
    DeviceFunctions(ByteBuffer context) throws RdmaException {
        pollCq = context.getLong(Layout.CONTEXT_POLL_CQ);
        reqNotifyCq = context.getLong(Layout.CONTEXT_REQ_NOTIFY_CQ);
        postSend = context.getLong(Layout.CONTEXT_POST_SEND);
        postRecv = context.getLong(Layout.CONTEXT_POST_RECV);
        Layout.require(pollCq != 0 && reqNotifyCq != 0 && postSend != 0 && postRecv != 0, "ibv_context");
    }

    private static CallContext longs(int count) {
        Type[] parameters = new Type[count];
        Arrays.fill(parameters, Type.SINT64);
        return CallContext.getCallContext(Type.SINT64, parameters, CallingConvention.DEFAULT, false);
    }

    /** Returns how many completions were written, or a negative number. */
    int pollCq(long cq, int count, long completionsOut) {
        return (int) INVOKER.invokeL3NoErrno(THREE_LONGS, pollCq, cq, count, completionsOut);
    }

    /** Asks for an event at the next completion of any kind; returns 0 or the reason why not. */
    int reqNotifyCq(long cq) {
        return (int) INVOKER.invokeL2NoErrno(TWO_LONGS, reqNotifyCq, cq, 0);
    }

    /** Returns 0 or the reason why not. */
    int postSend(long qp, long workRequests, long badOut) {
        return (int) INVOKER.invokeL3NoErrno(THREE_LONGS, postSend, qp, workRequests, badOut);
    }

    /** Returns 0 or the reason why not. */
    int postRecv(long qp, long workRequests, long badOut) {
        return (int) INVOKER.invokeL3NoErrno(THREE_LONGS, postRecv, qp, workRequests, badOut);
    }
}
