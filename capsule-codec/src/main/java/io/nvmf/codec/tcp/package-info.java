/** The PDUs of NVMe/TCP (NVMe/TCP Transport 1.0 s3.6): one class a layout, and the check of a header before it is used. */
package io.nvmf.codec.tcp;
