import { agents } from '@kontor/contract'
import { implement, inTwoParts, type Handlers } from '../../kernel/implement.ts'
import type { KeyRing } from '../../lib/key-ring.ts'
import type { Pool } from '../../pool/index.ts'
import { cancelRun, getRun, pageOfRuns, runByHand } from '../runs/index.ts'
import { getAddress, rehearsalMeta, rotateAddress } from '../workflows/index.ts'
import { type Plugins } from '../plugins/index.ts'
import { type Workflow } from '../definitions/index.ts'
import { requireAgent, requireAgentRun } from './find.ts'
import { agentKinds } from './kind.ts'
import { pageOfAgents } from './pages.ts'
import { presentAgent } from './task.ts'
import { presentUndo, getUndo, undoRun } from './undo/service.ts'
import { requireReadableTask, requireReadableToTry } from './readable-task.ts'
import { changeAgent, createAgent, removeAgent } from './service.ts'

const answer = (agent: Workflow) => ({ body: { data: presentAgent(agent) }, version: agent.row.version })

/** Answers a change; a dry run with its differences from the agent before, if there was one. */
function changed(agent: Workflow, dryRun: boolean | undefined, before?: Workflow) {
  const { body, version } = answer(agent)
  return { body: { ...body, ...rehearsalMeta(dryRun, before && presentAgent(before), body.data) }, version }
}

const updating = (plugins: Plugins, pool: Pool): Handlers<typeof agents>['update'] =>
  inTwoParts(async (read, { agentId, body, dry_run }) => {
    await requireReadableTask(read, pool, body, agentId)
    return async (ctx) => {
      const { before, ...agent } = await changeAgent(ctx, plugins, agentId, body)
      return changed(agent, dry_run, before)
    }
  })

type Services = { readonly plugins: Plugins; readonly keys: KeyRing; readonly pool: Pool }

export const agentHandlers = ({ plugins, keys, pool }: Services) => {
  const addresses = { keys, kinds: agentKinds }
  return implement(agents, {
    list: async (ctx, input) => ({ body: await pageOfAgents(ctx, input) }),

    create: inTwoParts(async (read, { body, dry_run }) => {
      await requireReadableTask(read, pool, body)
      return async (ctx) => changed(await createAgent(ctx, plugins, body), dry_run)
    }),

    get: async (ctx, { agentId }) => answer(await requireAgent(ctx, agentId)),

    update: updating(plugins, pool),

    async remove(ctx, { agentId }) {
      await removeAgent(ctx, agentId)
      return { body: {} }
    },

    getAddress: async (ctx, { agentId }) => getAddress(ctx, addresses, await requireAgent(ctx, agentId)),

    rotateAddress: async (ctx, { agentId }) => rotateAddress(ctx, addresses, await requireAgent(ctx, agentId)),

    async listRuns(ctx, input) {
      await requireAgent(ctx, input.agentId)
      return { body: await pageOfRuns(ctx, agentKinds, agents.listRuns, input, input.agentId) }
    },

    run: inTwoParts(async (read, { agentId, body, dry_run }) => {
      if (dry_run === true || body.dry_run === true) await requireReadableToTry(read, pool, { agentId, dry_run })
      return async (ctx) => {
        const { row } = await requireAgent(ctx, agentId)
        if (!row.enabled && dry_run !== true && body.dry_run !== true)
          throw ctx.fail('forbidden', { detail: 'This agent is disabled: enable it first.' })
        return runByHand(ctx, { plugins, kinds: agentKinds }, { id: agentId, body, dry_run })
      }
    }),

    async getRun(ctx, path) {
      await requireAgentRun(ctx, path)
      return getRun(ctx, agentKinds, path.runId)
    },

    async cancelRun(ctx, path) {
      await requireAgentRun(ctx, path)
      return cancelRun(ctx, agentKinds, path.runId)
    },

    undoRun: async (ctx, path) => ({ body: { data: presentUndo(await undoRun(ctx, path)) } }),

    getUndo: async (ctx, path) => ({ body: { data: presentUndo(await getUndo(ctx, path)) } }),
  })
}
