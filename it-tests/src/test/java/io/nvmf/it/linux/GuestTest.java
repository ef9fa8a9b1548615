package io.nvmf.it.linux;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** Marks a class of tests that boot the kernel guest: tagged "guest", and skipped with the reason where none can. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Tag("guest")
@ExtendWith(GuestAvailable.class)
@interface GuestTest {}
