/**
 * Every number and layout of the NVMe and NVMe over Fabrics specifications, and nothing else: no sockets, threads,
 * clocks or logging; the JDK is its only dependency.
 *
 * <p>Layouts used for each command are <em>views</em>: small reusable objects that {@code wrap} a little-endian
 * {@link java.nio.ByteBuffer} at an absolute offset and read or write its fields in place, without moving the buffer's
 * position. A view is not thread safe and belongs to whoever owns the buffer. Layouts exchanged rarely (identify
 * data, log pages) have {@code encode} and {@code decode}: small ones are records, big ones a {@link
 * io.nvmf.codec.Structure} of its bytes and a table of fields. All of them refuse a buffer that is too short or
 * big-endian with {@link java.lang.IllegalArgumentException}.
 *
 * <p>Unsigned 32-bit fields are returned as {@code long}, smaller ones as {@code int}. Decoding never throws on an
 * unknown value; whoever dispatches on it answers with the right status.
 */
package io.nvmf.codec;
