/** The name under which workflows follow the log of events. */
export const consumerName = 'workflows'
