import { agents } from '@kontor/contract'
import { implement } from '../../kernel/implement.ts'
import type { KeyRing } from '../../lib/key-ring.ts'
import {
  cancelRun,
  getAddress,
  getRun,
  pageOfRuns,
  rotateAddress,
  runByHand,
  type Plugins,
  type Workflow,
} from '../workflows/index.ts'
import { requireAgent, requireAgentRun } from './find.ts'
import { pageOfAgents } from './pages.ts'
import { presentAgent } from './present.ts'
import { presentUndo } from './undo/present.ts'
import { getUndo, undoRun } from './undo/service.ts'
import { changeAgent, createAgent, removeAgent } from './service.ts'

const answer = (agent: Workflow) => ({ body: { data: presentAgent(agent) }, version: agent.row.version })

type Services = { readonly plugins: Plugins; readonly keys: KeyRing }

export const agentHandlers = ({ plugins, keys }: Services) =>
  implement(agents, {
    list: async (ctx, input) => ({ body: await pageOfAgents(ctx, input) }),

    create: async (ctx, { body }) => answer(await createAgent(ctx, plugins, body)),

    get: async (ctx, { agentId }) => answer(await requireAgent(ctx, agentId)),

    update: async (ctx, { agentId, body }) => answer(await changeAgent(ctx, plugins, agentId, body)),

    async remove(ctx, { agentId }) {
      await removeAgent(ctx, agentId)
      return { body: {} }
    },

    getAddress: async (ctx, { agentId }) => getAddress(ctx, keys, await requireAgent(ctx, agentId)),

    rotateAddress: async (ctx, { agentId }) => rotateAddress(ctx, keys, await requireAgent(ctx, agentId)),

    async listRuns(ctx, { agentId, ...input }) {
      await requireAgent(ctx, agentId)
      return { body: await pageOfRuns(ctx, { ...input, id: agentId }, 'agents') }
    },

    async run(ctx, { agentId, body, dry_run }) {
      const { row } = await requireAgent(ctx, agentId)
      if (!row.enabled && dry_run !== true && body.dry_run !== true)
        throw ctx.fail('forbidden', { detail: 'This agent is disabled: enable it first.' })
      return runByHand(ctx, plugins, { id: agentId, body, dry_run })
    },

    async getRun(ctx, path) {
      await requireAgentRun(ctx, path)
      return getRun(ctx, path.runId)
    },

    async cancelRun(ctx, path) {
      await requireAgentRun(ctx, path)
      return cancelRun(ctx, path.runId)
    },

    undoRun: async (ctx, path) => ({ body: { data: presentUndo(await undoRun(ctx, path)) } }),

    getUndo: async (ctx, path) => ({ body: { data: presentUndo(await getUndo(ctx, path)) } }),
  })
