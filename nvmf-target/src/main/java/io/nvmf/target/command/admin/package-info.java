/** Handlers of admin commands (NVMe Base 2.0 s5). */
package io.nvmf.target.command.admin;
