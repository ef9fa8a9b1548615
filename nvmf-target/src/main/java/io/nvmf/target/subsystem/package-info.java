/** NVM subsystems: who may connect, and which namespaces there are. */
package io.nvmf.target.subsystem;
