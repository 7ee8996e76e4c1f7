/** The plugin of workflows that run on a schedule. */
export const heartbeatPlugin = 'on:general:time:heartbeat'
