/**
 * Verbs through DiSNI 2.1 ({@code com.ibm.disni:disni}), for hosts on machines that run its library, libdisni, already:
 * {@link io.nvmf.transport.rdma.disni.DisniRdma}. Everybody else is better served by the system's own libraries, {@link
 * io.nvmf.transport.rdma.nativeverbs}: DiSNI lacks
 *
 * <ul>
 *   <li>the accepting side: it neither shows the private data of a request nor answers with any, so {@link
 *       io.nvmf.transport.rdma.ConnectionManager#listen} fails;
 *   <li>IPv6;
 *   <li>the private data of an acceptance: a host is not told how many commands the controller takes (CRQSIZE);
 *   <li>the reason and the private data of a rejection, and the cause of any other failure;
 *   <li>the limits of a device, for which small ones are assumed, and its name;
 *   <li>a say in how many RDMA READs may be outstanding: as many as the device can;
 *   <li>SEND WITH INVALIDATE, which is for targets; for the same reason receives are taken in one piece only;
 *   <li>posting several sends with one call, without making objects for it;
 *   <li>file descriptors: an event loop cannot wait for it. Connections are looked after by a timer of the control loop,
 *       each completion queue by a thread.
 * </ul>
 *
 * <p>The data path allocates when a receive is posted to a place for the first time, and when a call fails; nothing else.
 */
package io.nvmf.transport.rdma.disni;
