/** Commands of the NVM command set (NVM Command Set 1.0 s3.2). Nothing here allocates. */
package io.nvmf.codec.nvm;
