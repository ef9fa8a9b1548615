/** Handlers of the NVM command set (NVM Command Set 1.0 s3.2). */
package io.nvmf.target.command.io;
