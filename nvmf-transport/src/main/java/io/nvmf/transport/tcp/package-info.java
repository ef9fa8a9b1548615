/** NVMe/TCP as both ends speak it: cutting the byte stream into PDUs, writing PDUs into a channel, noticing that the other end is gone. */
package io.nvmf.transport.tcp;
