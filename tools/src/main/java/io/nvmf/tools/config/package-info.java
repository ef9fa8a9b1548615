/**
 * What {@code nvmf target} serves: read from flags or from the JSON file that nvmetcli saves into a {@link
 * io.nvmf.tools.config.TargetPlan}, which touches nothing until it is opened.
 */
package io.nvmf.tools.config;
