/** Controllers: properties, features, events and keep alive of one host's association with a subsystem. */
package io.nvmf.target.controller;
