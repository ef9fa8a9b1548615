package io.nvmf.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.apache.commons.cli.Options;
import org.junit.jupiter.api.Test;

class PerfOptionsTest {
    private static final String URI = "nvmf-tcp://192.0.2.1/nqn.2026-01.com.example:s/1";

    private static PerfOptions read(String line) throws CommandException {
        Options options = new Options();
        PerfOptions.addTo(options);
        return PerfOptions.read(Arguments.parse(options, List.of(line.split(" "))));
    }

    @Test
    void shouldWarmUpLongOnceAndShortThenUnlessToldHowLong() throws CommandException {
        assertEquals(10_000, read(URI).warmUpMs(true));
        assertEquals(1000, read(URI).warmUpMs(false));
        for (boolean isFirst : new boolean[] {true, false}) {
            assertEquals(3000, read(URI + " -a 3").warmUpMs(isFirst));
            assertEquals(0, read(URI + " -a 0").warmUpMs(isFirst));
        }
    }

    @Test
    void shouldTellAllThatWasAskedFor() throws CommandException {
        ObjectNode json = read(URI
                        + " -q 8 -P 2 -w randrw -M 70 -o 4k/60:64k/40 -t 5 --rate-iops 100 -F 1.1 --offset 4k"
                        + " --size 1m --seed 3 --verify --threads 2 --poll --data-digest --ctrl-loss-tmo 60")
                .toJson();
        assertEquals(Version.text(), json.remove("version").asText());
        assertEquals(
                "{'mode':'run','uris':['" + URI
                        + "'],'rw':'randrw','rwmixread':70,'io_size':[{'bytes':4096,'percent':60},"
                        + "{'bytes':65536,'percent':40}],'rate_iops':100,'zipf':1.1,'offset':4096,'size':1048576,'seed':3,"
                        + "'verify':true,'io_depth':8,'asked_num_qpairs':2,'threads':2,'poll':true,'time':5,'warmup_time':10,"
                        + "'hdr_digest':false,'data_digest':true,'ctrl_loss_tmo':60}",
                json.toString().replace('"', '\''));
        ObjectNode ramp = read(URI + " --ramp -d 9 --threads 1").toJson();
        ramp.remove("version");
        assertEquals(
                "{'mode':'ramp','uris':['" + URI + "'],'rw':'randread','io_size':[{'bytes':4096,'percent':100}],"
                        + "'offset':0,'seed':1,'verify':false,'io_depth':32,'asked_num_qpairs':1,'threads':1,'poll':false,"
                        + "'number_ios':9,'warmup_time':10,'later_warmup_time':1,'hdr_digest':false,'data_digest':false}",
                ramp.toString().replace('"', '\''));
    }
}
