import type { Workflow } from '../../definitions/index.ts'

/** Returns whether the graph of a campaign has an exit of its own for an event. */
export const exitsBy = ({ graph }: Workflow, event: string): boolean =>
  Object.values(graph.exits ?? {}).some(({ plugin_id }) => plugin_id === event)
