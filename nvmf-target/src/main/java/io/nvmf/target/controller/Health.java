package io.nvmf.target.controller;

import io.nvmf.codec.feature.TemperatureThreshold;
import io.nvmf.codec.log.SmartLog;
import io.nvmf.target.namespace.DeviceHealth;
import io.nvmf.target.namespace.Namespace;
import java.util.List;

/**
 * The critical warnings of a controller (NVMe Base 2.0 s5.16.1.3): what its devices have shown, and the temperature that it
 * is said to have. Owned by the admin queue's event loop.
 */
public final class Health {
    /** There is no sensor: room temperature. */
    public static final int KELVIN = 298;
    /** WCTEMP. */
    public static final int WARNING_KELVIN = 343;
    /** CCTEMP. */
    public static final int CRITICAL_KELVIN = 353;

    private int overKelvin = WARNING_KELVIN;
    private int underKelvin;
    private int reported;

    public static int initialThreshold(int which) {
        return which == TemperatureThreshold.OVER ? WARNING_KELVIN : 0;
    }

    public int threshold(int which) {
        return which == TemperatureThreshold.OVER ? overKelvin : underKelvin;
    }

    public void threshold(int which, int kelvin) {
        if (which == TemperatureThreshold.OVER) {
            overKelvin = kelvin;
        } else {
            underKelvin = kelvin;
        }
    }

    /** The critical warnings as they are now, bits of the SMART log. */
    public int criticalWarnings(List<Namespace> namespaces) {
        int warnings = KELVIN >= overKelvin || KELVIN <= underKelvin ? SmartLog.WARNING_TEMPERATURE : 0;
        boolean allReadOnly = !namespaces.isEmpty();
        for (Namespace namespace : namespaces) {
            DeviceHealth device = namespace.health();
            warnings |= device.isDegraded() ? SmartLog.WARNING_DEGRADED : 0;
            allReadOnly &= device.isReadOnly();
        }
        return warnings | (allReadOnly ? SmartLog.WARNING_READ_ONLY : 0);
    }

    /** Those of the warnings that the host wants to be told and has not been told since they came up. */
    int unreported(int warnings, long wanted) {
        int news = warnings & (int) wanted & ~reported;
        reported = warnings & (int) wanted;
        return news;
    }
}
