/** What both ends share: event loops and sockets. */
package io.nvmf.transport;
