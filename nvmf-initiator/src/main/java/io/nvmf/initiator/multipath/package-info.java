/** One namespace over several controllers: which path a request takes, and what becomes of those whose path fails. */
package io.nvmf.initiator.multipath;
