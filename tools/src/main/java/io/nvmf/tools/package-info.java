/** The {@code nvmf} command: {@link io.nvmf.tools.Nvmf} and one class for each sub-command. */
package io.nvmf.tools;
