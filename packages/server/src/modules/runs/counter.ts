/** The name of the counter of a workflow's runs. */
export const runsCounter = (workflowId: string): string => `runs/${workflowId}`
