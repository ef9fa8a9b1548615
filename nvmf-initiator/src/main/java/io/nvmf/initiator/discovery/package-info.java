/** Reading the Discovery log: which subsystems can be reached where. */
package io.nvmf.initiator.discovery;
