/** What a target serves and where: immutable records, checked when they are made. */
package io.nvmf.target.config;
