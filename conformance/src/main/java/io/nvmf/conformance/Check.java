package io.nvmf.conformance;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** A method of a {@link Suite} that is one check. It returns when the target has passed. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Check {
    /** What is done and what is expected, in one sentence. */
    String says();

    /** The section of the specification, or the symptom that hosts show. */
    String source();

    Level level() default Level.MUST;

    Needs[] needs() default {};

    /** About how long it takes when it takes long, because it waits: it then runs beside others. */
    int seconds() default 0;
}
