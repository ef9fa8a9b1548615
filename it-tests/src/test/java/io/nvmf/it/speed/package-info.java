/** How fast this machine lets two Java programs be that speak no NVMe: the yardstick for those that do. */
package io.nvmf.it.speed;
