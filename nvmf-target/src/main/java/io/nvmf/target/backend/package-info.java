/** What a namespace stores its blocks in: the interface, and in the packages below what implements it. */
package io.nvmf.target.backend;
