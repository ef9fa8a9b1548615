package io.nvmf.conformance;

import io.nvmf.conformance.suite.AdminAbortSuite;
import io.nvmf.conformance.suite.AdminAbortWriteSuite;
import io.nvmf.conformance.suite.AdminAerSuite;
import io.nvmf.conformance.suite.AdminCapsuleSuite;
import io.nvmf.conformance.suite.AdminCommandSetSuite;
import io.nvmf.conformance.suite.AdminFeatureValuesSuite;
import io.nvmf.conformance.suite.AdminFeaturesSuite;
import io.nvmf.conformance.suite.AdminHealthSuite;
import io.nvmf.conformance.suite.AdminIdentifySuite;
import io.nvmf.conformance.suite.AdminLimitsSuite;
import io.nvmf.conformance.suite.AdminLogSuite;
import io.nvmf.conformance.suite.AdminNamespaceSuite;
import io.nvmf.conformance.suite.AdminOpcodeSuite;
import io.nvmf.conformance.suite.AnaLogSuite;
import io.nvmf.conformance.suite.AuthenticationSuite;
import io.nvmf.conformance.suite.ConnectNamesSuite;
import io.nvmf.conformance.suite.ConnectSuite;
import io.nvmf.conformance.suite.DisconnectSuite;
import io.nvmf.conformance.suite.DiscoveryControllerSuite;
import io.nvmf.conformance.suite.DiscoveryLogSuite;
import io.nvmf.conformance.suite.FuzzSuite;
import io.nvmf.conformance.suite.IoCapsuleSuite;
import io.nvmf.conformance.suite.IoCommandSuite;
import io.nvmf.conformance.suite.IoCompareSuite;
import io.nvmf.conformance.suite.IoConnectSuite;
import io.nvmf.conformance.suite.IoCopySuite;
import io.nvmf.conformance.suite.IoDatasetSuite;
import io.nvmf.conformance.suite.IoFusedSuite;
import io.nvmf.conformance.suite.IoProtectionSuite;
import io.nvmf.conformance.suite.IoReadWriteSuite;
import io.nvmf.conformance.suite.IoSglSuite;
import io.nvmf.conformance.suite.IoWriteUncorrectableSuite;
import io.nvmf.conformance.suite.IoWriteZeroesSuite;
import io.nvmf.conformance.suite.KeepAliveSuite;
import io.nvmf.conformance.suite.LifeSuite;
import io.nvmf.conformance.suite.PropertySuite;
import io.nvmf.conformance.suite.RdmaCmSuite;
import io.nvmf.conformance.suite.RdmaDataSuite;
import io.nvmf.conformance.suite.RdmaQueueSuite;
import io.nvmf.conformance.suite.ReservationAccessSuite;
import io.nvmf.conformance.suite.ReservationCommandsSuite;
import io.nvmf.conformance.suite.ReservationHoldingSuite;
import io.nvmf.conformance.suite.StressQueueSuite;
import io.nvmf.conformance.suite.StressTcpSuite;
import io.nvmf.conformance.suite.TcpDataSuite;
import io.nvmf.conformance.suite.TcpDigestSuite;
import io.nvmf.conformance.suite.TcpH2cDataSuite;
import io.nvmf.conformance.suite.TcpIcSuite;
import io.nvmf.conformance.suite.TcpPduSuite;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** All checks there are. */
public final class Catalog {
    /** In the order in which they run. */
    private static final List<Supplier<Suite>> SUITES = List.of(
            TcpIcSuite::new,
            TcpPduSuite::new,
            TcpDataSuite::new,
            TcpH2cDataSuite::new,
            TcpDigestSuite::new,
            RdmaCmSuite::new,
            RdmaDataSuite::new,
            RdmaQueueSuite::new,
            ConnectSuite::new,
            ConnectNamesSuite::new,
            IoConnectSuite::new,
            DisconnectSuite::new,
            PropertySuite::new,
            LifeSuite::new,
            KeepAliveSuite::new,
            DiscoveryLogSuite::new,
            DiscoveryControllerSuite::new,
            AuthenticationSuite::new,
            AdminIdentifySuite::new,
            AdminNamespaceSuite::new,
            AdminCommandSetSuite::new,
            AdminLimitsSuite::new,
            AdminCapsuleSuite::new,
            AdminLogSuite::new,
            AdminHealthSuite::new,
            AdminFeaturesSuite::new,
            AdminFeatureValuesSuite::new,
            AdminAerSuite::new,
            AdminAbortSuite::new,
            AdminAbortWriteSuite::new,
            AdminOpcodeSuite::new,
            IoReadWriteSuite::new,
            IoCommandSuite::new,
            IoWriteZeroesSuite::new,
            IoCompareSuite::new,
            IoWriteUncorrectableSuite::new,
            IoDatasetSuite::new,
            IoCopySuite::new,
            IoSglSuite::new,
            IoCapsuleSuite::new,
            IoFusedSuite::new,
            ReservationCommandsSuite::new,
            ReservationHoldingSuite::new,
            ReservationAccessSuite::new,
            AnaLogSuite::new,
            StressQueueSuite::new,
            StressTcpSuite::new,
            IoProtectionSuite::new,
            // Last: what it leaves behind nobody meets.
            FuzzSuite::new);

    private static final List<CheckCase> CHECKS =
            SUITES.stream().flatMap(Catalog::checksOf).toList();

    private Catalog() {}

    /** Every check, suite by suite, in a suite by name. */
    public static List<CheckCase> all() {
        return CHECKS;
    }

    /** The checks of one suite, by name. */
    public static Stream<CheckCase> checksOf(Supplier<Suite> suite) {
        Class<?> type = suite.get().getClass();
        SuiteName name = type.getAnnotation(SuiteName.class);
        return Arrays.stream(type.getDeclaredMethods())
                .filter(method -> method.isAnnotationPresent(Check.class))
                .sorted(Comparator.comparing(Method::getName))
                .peek(method -> method.setAccessible(true))
                .map(method -> new CheckCase(name, method.getAnnotation(Check.class), method, suite));
    }

    /**
     * The checks that a pattern names: a whole id, its first parts, or either with {@code *} and {@code ?} in it. Case does
     * not count.
     */
    public static List<CheckCase> matching(String pattern) {
        String regex = Arrays.stream(pattern.split("(?<=[*?])|(?=[*?])"))
                .map(part -> part.equals("*") ? ".*" : part.equals("?") ? "." : Pattern.quote(part))
                .collect(Collectors.joining());
        Pattern compiled = Pattern.compile(regex + "(\\..*)?", Pattern.CASE_INSENSITIVE);
        return all().stream()
                .filter(check -> compiled.matcher(check.id()).matches())
                .toList();
    }
}
