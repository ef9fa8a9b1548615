/**
 * The host side of NVMe over Fabrics, a library to embed: start at {@link io.nvmf.initiator.NvmfHost}.
 *
 * <p>Rooms, each using only those below it: this door; {@code controller} and {@code discovery}; {@code namespace}; {@code
 * queue}; {@code transport}.
 */
package io.nvmf.initiator;
