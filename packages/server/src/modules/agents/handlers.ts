import { agents, attributesOf, type Input, type AgentChange } from '@kontor/contract'
import { implement, inTwoParts, type Handlers, type WorkspaceReadContext } from '../../kernel/implement.ts'
import type { KeyRing } from '../../lib/key-ring.ts'
import type { Pool } from '../../pool/index.ts'
import { cancelRun, getRun, pageOfRuns, runByHand } from '../runs/index.ts'
import { getAddress, rehearsalMeta, rotateAddress } from '../workflows/index.ts'
import type { Plugins } from '../plugins/index.ts'
import { workflowsAmong, workflowSorting, findWorkflow, type Workflow } from '../definitions/index.ts'
import { requireAgent, requireAgentRun } from './find.ts'
import { agentKinds } from './kind.ts'
import { presentAgent, taskOf } from './task.ts'
import { presentUndo, getUndo, undoRun } from './undo/service.ts'
import { changeAgent, createAgent, removeAgent, pointerTo, type Body } from './service.ts'
import { emptyList } from '../../db/short-list.ts'
import { isId } from '../../kernel/ids.ts'
import { shortPage } from '../../kernel/short-page.ts'
import { faultOfProgram } from '../sandbox/index.ts'

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

async function pageOfAgents(ctx: WorkspaceReadContext<'unknown_field'>, input: Input<typeof agents.list>) {
  const { enabled, owner_id: ownerId } = input.filter ?? {}
  const sought = {
    workspaceId: ctx.workspace.workspaceId,
    equal: {
      type: 'agent' as const,
      ...(enabled !== undefined && { enabled }),
      ...(ownerId !== undefined && { owner_id: ownerId }),
    },
    search: input.search,
  }
  // An invalid id owns nothing.
  const read = ownerId !== undefined && !isId(ownerId) ? emptyList : workflowsAmong(sought)
  const { rows, ...envelope } = await shortPage(ctx, agents.list, input, { ...workflowSorting, read })
  return { data: rows.map(presentAgent), ...envelope }
}

/** Refuses an agent that shall run with code that cannot: read in the pool, before the transaction of the change. */
async function requireReadableTask(ctx: WorkspaceReadContext, pool: Pool, body: Body, id?: string): Promise<void> {
  const { workspaceId } = ctx.workspace
  const { enabled, code: given } = attributesOf<AgentChange>(body)
  const found = id !== undefined && isId(id) ? await findWorkflow(ctx.tx, workspaceId, id) : undefined
  const isRunning = enabled ?? found?.row.enabled ?? false
  const code = given === undefined && found?.row.enabled === false ? taskOf(found.graph).code : given
  if (!isRunning || code === undefined || code === null) return
  const detail = await faultOfProgram(pool, workspaceId, code)
  const source = { pointer: pointerTo(body, given === undefined ? 'enabled' : 'code') }
  if (detail !== undefined) throw ctx.fail('invalid_body', { detail, source })
}

/** The same for a test run: one that is enabled has been read before. */
async function requireReadableToTry(
  ctx: WorkspaceReadContext,
  pool: Pool,
  { agentId, dry_run }: { readonly agentId: string; readonly dry_run?: boolean | undefined },
): Promise<void> {
  const { row, graph } = await requireAgent(ctx, agentId)
  const { code } = taskOf(graph)
  if (row.enabled || code === undefined || code === null) return
  const detail = await faultOfProgram(pool, ctx.workspace.workspaceId, code)
  const source = dry_run === true ? { parameter: 'dry_run' } : { pointer: '/dry_run' }
  if (detail !== undefined) throw ctx.fail('invalid_body', { detail, source })
}
