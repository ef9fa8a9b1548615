/**
 * Controllers: connecting with all queues, admin commands, keep alive, asynchronous events, shutting down. An association
 * is one admin queue and its I/O queues; what ends one queue ends them all.
 */
package io.nvmf.initiator.controller;
