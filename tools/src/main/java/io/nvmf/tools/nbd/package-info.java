/**
 * A server of the NBD protocol, fixed newstyle: a namespace as a disk for any NBD client. One event loop owns all of it;
 * only the namespace works on loops of its own.
 *
 * <p>A connection is a {@link io.nvmf.tools.nbd.NbdConnection}, whose bytes go to the {@link io.nvmf.tools.nbd.Negotiation}
 * of its options and then to the {@link io.nvmf.tools.nbd.Transmission} of its requests. What their requests may take up
 * together is in a {@link io.nvmf.tools.nbd.Budget}. Requests are of any bytes: {@link io.nvmf.tools.nbd.ByteIo} makes
 * blocks of them, in the {@link io.nvmf.tools.nbd.ChangeOrder} that keeps writers of one block apart.
 */
package io.nvmf.tools.nbd;
