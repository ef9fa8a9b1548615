package io.nvmf.conformance;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** What a {@link Suite} is called, and where it can run. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface SuiteName {
    /** Family and suite, such as {@code TCP.PDU}. */
    String value();

    /** The transport that it is about. */
    Over over() default Over.ANY;

    /** Whether it needs a subsystem, which the URI must name. */
    boolean subsystem() default true;

    /** Whether its checks wait until those before it have ended that run beside others: they leave nothing as it was. */
    boolean alone() default false;

    /** Transports of suites. */
    enum Over {
        ANY,
        TCP,
        RDMA
    }
}
