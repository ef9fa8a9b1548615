/** The discovery log: which subsystems a host reaches, and where (NVMe-oF 1.1 s5). */
package io.nvmf.target.discovery;
