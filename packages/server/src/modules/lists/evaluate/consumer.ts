/** The name under which lists follow the log of events. */
export const consumerName = 'lists'
