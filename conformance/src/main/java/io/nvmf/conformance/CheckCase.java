package io.nvmf.conformance;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.function.Supplier;

/**
 * One check of the catalog.
 *
 * @param suite makes the object on which the method runs, a new one each time
 */
public record CheckCase(SuiteName name, Check check, Method method, Supplier<Suite> suite) {
    /** Family, suite and check, such as {@code TCP.IC.PfvOne}. */
    public String id() {
        String method = method().getName();
        return suiteId() + "." + Character.toUpperCase(method.charAt(0)) + method.substring(1);
    }

    /** Family and suite. */
    public String suiteId() {
        return name.value();
    }

    /** Runs it; whatever it throws comes out. */
    void run(Bench bench) throws Exception {
        Suite instance = suite.get();
        instance.attach(bench);
        try {
            method.invoke(instance);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof Exception) {
                throw (Exception) e.getCause();
            }
            throw e;
        }
        instance.expectNoBreaches();
    }
}
