package io.nvmf.transport.rdma;

import io.nvmf.transport.EventLoops;
import io.nvmf.transport.rdma.nativeverbs.NativeVerbs;
import java.net.InetAddress;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The contract on this machine's RDMA device, and what only the native provider must do, as a program, because the device
 * is in the kernel guest. Each check must leave no object of the libraries behind. Prints the lines that guest scripts
 * print, and exits 1 when a check failed.
 *
 * <p>Arguments: two addresses of the device, its name, and an address of this machine that is not on an RDMA device.
 */
final class NativeRdmaContractMain {
    private NativeRdmaContractMain() {}

    public static void main(String[] arguments) throws Exception {
        if (!Rdma.isAvailable()) {
            System.out.println(Rdma.unavailabilityCause());
            System.exit(1);
        }
        List<InetAddress> addresses = List.of(InetAddress.getByName(arguments[0]), InetAddress.getByName(arguments[1]));
        int failures = 0;
        for (EventLoops.Kind kind : List.of(EventLoops.Kind.EPOLL, EventLoops.Kind.IO_URING)) {
            // Soft-RoCE does not let a peer invalidate what a program has registered, nor do others.
            RdmaContract contract = new RdmaContract(Rdma.provider(), kind, addresses, false);
            Map<String, RdmaContract.Check> checks = contract.checks();
            if (kind != EventLoops.Kind.EPOLL) {
                // Takes long, and no part of it is the loop's.
                checks.remove("closes everything 200 times");
            }
            failures += failures(kind + " ", checks);
        }
        failures += failures(
                "", new NativeRdmaChecks(addresses.get(0), arguments[2], InetAddress.getByName(arguments[3])).checks());
        System.exit(failures > 0 ? 1 : 0);
    }

    private static int failures(String kind, Map<String, RdmaContract.Check> checks) {
        int failures = 0;
        for (Map.Entry<String, RdmaContract.Check> check : checks.entrySet()) {
            String name = (kind + check.getKey()).toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
            failures += passes(name, check.getValue()) ? 0 : 1;
        }
        return failures;
    }

    private static boolean passes(String name, RdmaContract.Check check) {
        long from = System.nanoTime();
        String said;
        try {
            check.run();
            said = NativeVerbs.openObjects() == 0 ? null : "left open: " + NativeVerbs.describeOpenObjects();
        } catch (Exception | AssertionError e) {
            said = e.toString().replaceAll("\\s+", " ");
            e.printStackTrace();
        }
        String took = "after " + TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - from) + " s";
        System.out.println("CHECK " + name + (said == null ? " PASS " + took : " FAIL " + took + ": " + said));
        return said == null;
    }
}
