/** Reservations: which hosts have registered with a namespace, who holds it, and what that keeps others from. */
package io.nvmf.target.reservation;
