/** Reservations (NVMe Base 2.0 s7.2 to s7.5, s8.19): commands, their data, and what a report says. */
package io.nvmf.codec.reservation;
