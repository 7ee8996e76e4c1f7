import { inProcess, inProcessByName, type Served } from '../kernel/invoke/in-process.ts'
import { agentBlock } from '../modules/agents/index.ts'
import { workflowKinds } from '../modules/index.ts'
import { createBlocks, type BlockServices } from '../modules/blocks/index.ts'
import { Plugins } from '../modules/plugins/index.ts'
import { type WorkflowServices } from '../modules/runs/index.ts'

/** All plugins of this server. */
export const createPlugins = (services: BlockServices & Parameters<typeof agentBlock>[0]): Plugins =>
  new Plugins([...createBlocks(services), agentBlock(services)])

type Parts = Served & Pick<WorkflowServices, 'plugins' | 'schemaSets'>

/** Returns the services that runs of workflows use. */
export const workflowServices = ({ runtime, calls, ...parts }: Parts): WorkflowServices => ({
  ...parts,
  kinds: workflowKinds,
  writeEvents: runtime.writeEvents,
  actAs: (actor, requestId) => inProcess({ runtime, calls }, { actor }, requestId),
  actByName: (actor, requestId) => inProcessByName({ runtime, calls }, { actor }, requestId),
})
