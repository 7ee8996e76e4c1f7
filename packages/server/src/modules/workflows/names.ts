/** The name under which workflows follow the log of events. */
export const consumerName = 'workflows'

/** The plugin of workflows that run on a schedule. */
export const heartbeatPlugin = 'on:general:time:heartbeat'
