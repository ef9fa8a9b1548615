/** What of a namespace outlives the target, and the file in which it does. */
package io.nvmf.target.state;
