/** NVMe/TCP as both ends speak it: cutting the byte stream into PDUs, and writing PDUs into a channel. */
package io.nvmf.transport.tcp;
