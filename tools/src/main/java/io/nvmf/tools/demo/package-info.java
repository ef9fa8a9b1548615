/** What {@code nvmf demo} does: blocks with content that can be checked, written and read over many queues. */
package io.nvmf.tools.demo;
