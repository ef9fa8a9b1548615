package io.nvmf.codec;

import io.nvmf.codec.identify.IdentifyController;
import io.nvmf.codec.identify.IdentifyNamespace;
import io.nvmf.codec.identify.IndependentNamespace;
import io.nvmf.codec.identify.NvmCommandSetController;
import io.nvmf.codec.identify.NvmCommandSetNamespace;
import io.nvmf.codec.log.DiscoveryLogEntry;
import io.nvmf.codec.log.ErrorLogEntry;
import io.nvmf.codec.log.SmartLog;
import org.junit.jupiter.api.Test;

/** The place of every number in the big structures: name, first byte, bytes. */
class StructureLayoutTest {
    @Test
    void shouldPlaceEachNumberOfIdentifyController() {
        FieldTables.check(IdentifyController.Field.values(), IdentifyController::decode, IdentifyController.BYTES, """
                VID                                   0  2
                SSVID                                 2  2
                RAB                                  72  1
                IEEE                                 73  3
                CMIC                                 76  1
                MDTS                                 77  1
                CNTLID                               78  2
                VER                                  80  4
                RTD3R                                84  4
                RTD3E                                88  4
                OAES                                 92  4
                CTRATT                               96  4
                RRLS                                100  2
                CNTRLTYPE                           111  1
                CRDT1                               128  2
                CRDT2                               130  2
                CRDT3                               132  2
                CRCAP                               134  1
                NVMSR                               253  1
                VWCI                                254  1
                MEC                                 255  1
                OACS                                256  2
                ACL                                 258  1
                AERL                                259  1
                FRMW                                260  1
                LPA                                 261  1
                ELPE                                262  1
                NPSS                                263  1
                AVSCC                               264  1
                APSTA                               265  1
                WCTEMP                              266  2
                CCTEMP                              268  2
                MTFA                                270  2
                HMPRE                               272  4
                HMMIN                               276  4
                TNVMCAP                             280 16
                UNVMCAP                             296 16
                RPMBS                               312  4
                EDSTT                               316  2
                DSTO                                318  1
                FWUG                                319  1
                KAS                                 320  2
                HCTMA                               322  2
                MNTMT                               324  2
                MXTMT                               326  2
                SANICAP                             328  4
                HMMINDS                             332  4
                HMMAXD                              336  2
                NSETIDMAX                           338  2
                ENDGIDMAX                           340  2
                ANATT                               342  1
                ANACAP                              343  1
                ANAGRPMAX                           344  4
                NANAGRPID                           348  4
                PELS                                352  4
                DOMAINID                            356  2
                KPIOC                               358  1
                MPTFAWR                             360  2
                MEGCAP                              368 16
                TMPTHHA                             384  1
                CQT                                 386  2
                SQES                                512  1
                CQES                                513  1
                MAXCMD                              514  2
                NN                                  516  4
                ONCS                                520  2
                FUSES                               522  2
                FNA                                 524  1
                VWC                                 525  1
                AWUN                                526  2
                AWUPF                               528  2
                ICSVSCC                             530  1
                NWPC                                531  1
                ACWU                                532  2
                OCFS                                534  2
                SGLS                                536  4
                MNAN                                540  4
                MAXDNA                              544 16
                MAXCNA                              560  4
                OAQD                                564  4
                RHIRI                               568  1
                HIRT                                569  1
                IOCCSZ                             1792  4
                IORCSZ                             1796  4
                ICDOFF                             1800  2
                FCATT                              1802  1
                MSDBD                              1803  1
                OFCS                               1804  2
                DCTYPE                             1806  1
                CCRL                               1807  1
                """);
    }

    @Test
    void shouldPlaceEachNumberOfIdentifyNamespace() {
        FieldTables.check(IdentifyNamespace.Field.values(), IdentifyNamespace::decode, IdentifyNamespace.BYTES, """
                NSZE                                  0  8
                NCAP                                  8  8
                NUSE                                 16  8
                NSFEAT                               24  1
                NLBAF                                25  1
                FLBAS                                26  1
                MC                                   27  1
                DPC                                  28  1
                DPS                                  29  1
                NMIC                                 30  1
                RESCAP                               31  1
                FPI                                  32  1
                DLFEAT                               33  1
                NAWUN                                34  2
                NAWUPF                               36  2
                NACWU                                38  2
                NABSN                                40  2
                NABO                                 42  2
                NABSPF                               44  2
                NOIOB                                46  2
                NVMCAP                               48 16
                NPWG                                 64  2
                NPWA                                 66  2
                NPDG                                 68  2
                NPDA                                 70  2
                NOWS                                 72  2
                MSSRL                                74  2
                MCL                                  76  4
                MSRC                                 80  1
                KPIOS                                81  1
                NULBAF                               82  1
                ANAGRPID                             92  4
                NSATTR                               99  1
                NVMSETID                            100  2
                ENDGID                              102  2
                """);
    }

    @Test
    void shouldPlaceEachNumberOfIndependentNamespace() {
        FieldTables.check(
                IndependentNamespace.Field.values(), IndependentNamespace::decode, IndependentNamespace.BYTES, """
                NSFEAT                                0  1
                NMIC                                  1  1
                RESCAP                                2  1
                FPI                                   3  1
                ANAGRPID                              4  4
                NSATTR                                8  1
                NVMSETID                             10  2
                ENDGID                               12  2
                NSTAT                                14  1
                KPIOS                                15  1
                MAXKT                                16  2
                RGRPID                               20  4
                """);
    }

    @Test
    void shouldPlaceEachNumberOfNvmCommandSetController() {
        FieldTables.check(
                NvmCommandSetController.Field.values(),
                NvmCommandSetController::decode,
                NvmCommandSetController.BYTES,
                """
                VSL                                   0  1
                WZSL                                  1  1
                WUSL                                  2  1
                DMRL                                  3  1
                DMRSL                                 4  4
                DMSL                                  8  8
                KPIOCAP                              16  1
                WZDSL                                17  1
                AOCS                                 18  2
                VER                                  20  4
                LBAMQF                               24  1
                """);
    }

    @Test
    void shouldPlaceEachNumberOfNvmCommandSetNamespace() {
        FieldTables.check(
                NvmCommandSetNamespace.Field.values(),
                NvmCommandSetNamespace::decode,
                NvmCommandSetNamespace.BYTES,
                """
                LBSTM                                 0  8
                PIC                                   8  1
                PIFA                                  9  1
                NPDGL                               268  4
                NPRG                                272  4
                NPRA                                276  4
                NORS                                280  4
                NPDAL                               284  4
                """);
    }

    @Test
    void shouldPlaceEachNumberOfSmartLog() {
        FieldTables.check(SmartLog.Field.values(), SmartLog::decode, SmartLog.BYTES, """
                CRITICAL_WARNING                      0  1
                COMPOSITE_TEMPERATURE                 1  2
                AVAILABLE_SPARE                       3  1
                AVAILABLE_SPARE_THRESHOLD             4  1
                PERCENTAGE_USED                       5  1
                ENDURANCE_GROUP_CRITICAL_WARNING      6  1
                DATA_UNITS_READ                      32 16
                DATA_UNITS_WRITTEN                   48 16
                HOST_READ_COMMANDS                   64 16
                HOST_WRITE_COMMANDS                  80 16
                CONTROLLER_BUSY_TIME                 96 16
                POWER_CYCLES                        112 16
                POWER_ON_HOURS                      128 16
                UNSAFE_SHUTDOWNS                    144 16
                MEDIA_ERRORS                        160 16
                ERROR_LOG_ENTRIES                   176 16
                WARNING_TEMPERATURE_TIME            192  4
                CRITICAL_TEMPERATURE_TIME           196  4
                TEMPERATURE_SENSOR_1                200  2
                TEMPERATURE_SENSOR_2                202  2
                TEMPERATURE_SENSOR_3                204  2
                TEMPERATURE_SENSOR_4                206  2
                TEMPERATURE_SENSOR_5                208  2
                TEMPERATURE_SENSOR_6                210  2
                TEMPERATURE_SENSOR_7                212  2
                TEMPERATURE_SENSOR_8                214  2
                THERMAL_MANAGEMENT_1_COUNT          216  4
                THERMAL_MANAGEMENT_2_COUNT          220  4
                THERMAL_MANAGEMENT_1_TIME           224  4
                THERMAL_MANAGEMENT_2_TIME           228  4
                """);
    }

    @Test
    void shouldPlaceEachNumberOfErrorLogEntry() {
        FieldTables.check(ErrorLogEntry.Field.values(), ErrorLogEntry::decode, ErrorLogEntry.BYTES, """
                COUNT                                 0  8
                SQID                                  8  2
                CID                                  10  2
                STATUS                               12  2
                PARAMETER_LOCATION                   14  2
                LBA                                  16  8
                NSID                                 24  4
                VENDOR_LOG_PAGE                      28  1
                TRTYPE                               29  1
                CSI                                  30  1
                OPC                                  31  1
                COMMAND_SPECIFIC                     32  8
                TRANSPORT_SPECIFIC                   40  2
                LOG_VERSION                          63  1
                """);
    }

    @Test
    void shouldPlaceEachNumberOfDiscoveryLogEntry() {
        FieldTables.check(DiscoveryLogEntry.Field.values(), DiscoveryLogEntry::decode, DiscoveryLogEntry.BYTES, """
                TRTYPE                                0  1
                ADRFAM                                1  1
                SUBTYPE                               2  1
                TREQ                                  3  1
                PORTID                                4  2
                CNTLID                                6  2
                ASQSZ                                 8  2
                EFLAGS                               10  2
                TCP_SECTYPE                         768  1
                RDMA_QPTYPE                         768  1
                RDMA_PRTYPE                         769  1
                RDMA_CMS                            770  1
                RDMA_PKEY                           776  2
                """);
    }
}
