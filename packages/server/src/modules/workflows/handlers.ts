import { workflows, type Input, type WorkflowChange } from '@kontor/contract'
import {
  implement,
  inTwoParts,
  type Handlers,
  type WorkspaceReadContext,
  type WriteContext,
} from '../../kernel/implement.ts'
import { resource } from '../../kernel/resource.ts'
import type { KeyRing } from '../../lib/key-ring.ts'
import type { Pool } from '../../pool/index.ts'
import { requireReadableCode, requireReadableToRun, requireReadableVersion } from '../definitions/index.ts'
import { diffGraphs, diffWorkflows } from '../definitions/index.ts'
import { requireGraph, requireNoAgent, requireWorkflow } from '../definitions/index.ts'
import { presentVersion, presentWorkflow, shownGraph } from '../definitions/index.ts'
import type { Workflow } from '../definitions/index.ts'
import { getAddress, rotateAddress } from './inbound/address.ts'
import { pageOfPlugins, pageOfRuns, pageOfVersions, pageOfWorkflows } from './pages.ts'
import type { Plugins } from '../plugins/index.ts'
import { cancelAll } from '../runs/index.ts'
import { cancelRun, getRun, getRunStep, requireNoAgentsRun, resumeRun, retryRun, runByHand } from '../runs/index.ts'
import { rotateSigningSecret } from './signing/secrets.ts'
import { changeWorkflow, createWorkflow, removeWorkflow, restoreVersion } from './service.ts'

const answer = (ctx: WorkspaceReadContext, workflow: Workflow) => ({
  body: { data: presentWorkflow(ctx, workflow) },
  version: workflow.row.version,
})

type Services = { readonly plugins: Plugins; readonly keys: KeyRing; readonly pool: Pool }

export const workflowHandlers = ({ plugins, keys, pool }: Services) =>
  implement(workflows, {
    list: async (ctx, input) => ({ body: await pageOfWorkflows(ctx, input) }),

    create: creating(plugins, pool),

    get: async (ctx, { id }) => answer(ctx, await requireWorkflow(ctx, id)),

    update: updating(plugins, pool),

    async remove(ctx, { id }) {
      await requireNoAgent(ctx, id)
      await removeWorkflow(ctx, id)
      return { body: {} }
    },

    async rotateSecret(ctx, input) {
      await requireNoAgent(ctx, input.id)
      return rotateSigningSecret(ctx, keys, input)
    },

    getAddress: async (ctx, { id }) => getAddress(ctx, keys, await requireNoAgent(ctx, id)),

    rotateAddress: async (ctx, { id }) => rotateAddress(ctx, keys, await requireNoAgent(ctx, id)),

    listVersions: async (ctx, input) => ({ body: await pageOfVersions(ctx, input) }),

    async getVersion(ctx, { id, version }) {
      const workflow = await requireWorkflow(ctx, id)
      return { body: { data: presentVersion(ctx, workflow.row, await requireGraph(ctx, workflow, version)) } }
    },

    compareVersions: (ctx, input) => compareVersions(ctx, input),

    restoreVersion: restoring(plugins, pool),

    listRuns: async (ctx, input) => ({ body: await pageOfRuns(ctx, input) }),

    run: running(plugins, pool),

    getRun: (ctx, { id }) => getRun(ctx, id),

    getRunStep: (ctx, { id, number }) => getRunStep(ctx, id, number),

    async retryRun(ctx, { id, body }) {
      await requireNoAgentsRun(ctx, id)
      return retryRun(ctx, id, body.from)
    },

    async cancelRun(ctx, { id }) {
      await requireNoAgentsRun(ctx, id)
      return cancelRun(ctx, id)
    },

    async resumeRun(ctx, { id }) {
      await requireNoAgentsRun(ctx, id)
      return resumeRun(ctx, id)
    },

    listPlugins: async (ctx, input) => ({ body: pageOfPlugins(ctx, plugins, input) }),
  })

/** The attributes of a body, and where they are in it. */
const sentIn = <A extends WorkflowChange>(body: A | { readonly data: { readonly attributes: A } }) =>
  'data' in body ? { attributes: body.data.attributes, base: ['data', 'attributes'] } : { attributes: body, base: [] }

const creating = (plugins: Plugins, pool: Pool): Handlers<typeof workflows>['create'] =>
  inTwoParts(async (read, { body }) => {
    await requireReadableCode(read, pool, sentIn(body))
    return async (ctx) => answer(ctx, await createWorkflow(ctx, plugins, body))
  })

const updating = (plugins: Plugins, pool: Pool): Handlers<typeof workflows>['update'] =>
  inTwoParts(async (read, input) => {
    await requireReadableCode(read, pool, sentIn(input.body), input.id)
    return (ctx) => updateWorkflow(ctx, plugins, input)
  })

const restoring = (plugins: Plugins, pool: Pool): Handlers<typeof workflows>['restoreVersion'] =>
  inTwoParts(async (read, path) => {
    await requireReadableVersion(read, pool, path)
    return async (ctx) => {
      await requireNoAgent(ctx, path.id)
      return answer(ctx, await restoreVersion(ctx, plugins, path))
    }
  })

const running = (plugins: Plugins, pool: Pool): Handlers<typeof workflows>['run'] =>
  inTwoParts(async (read, input) => {
    const { id, body, dry_run: isAsked } = input
    const parameter = isAsked === true ? 'dry_run' : undefined
    await requireReadableToRun(read, pool, id, { base: [], attributes: body, parameter })
    return async (ctx) => {
      await requireNoAgent(ctx, id)
      return runByHand(ctx, plugins, input)
    }
  })

/** Changes a workflow, or says what would differ. */
async function updateWorkflow(
  ctx: WriteContext,
  plugins: Plugins,
  { id, body: given, dry_run, runs }: Input<typeof workflows.update>,
) {
  await requireNoAgent(ctx, id)
  const changed = await changeWorkflow(ctx, plugins, id, given)
  if (runs !== undefined) await cancelAll(ctx, changed)
  const { body, version } = answer(ctx, changed)
  if (dry_run !== true) return { body, version }
  const diff = diffWorkflows(presentWorkflow(ctx, changed.before), body.data)
  return { body: { ...body, meta: { dry_run, diff } }, version }
}

async function compareVersions(
  ctx: WorkspaceReadContext,
  { id, version, with: other }: Input<typeof workflows.compareVersions>,
) {
  const workflow = await requireWorkflow(ctx, id)
  const to = await requireGraph(ctx, workflow, version)
  const from = await requireGraph(ctx, workflow, other ?? Math.max(1, to.version - 1))
  const shown = ({ graph }: typeof from) => shownGraph(ctx, workflow.row, graph)
  const attributes = { from: from.version, to: to.version, diff: diffGraphs(shown(from), shown(to)) }
  return { body: { data: resource('workflow-diff', `${id}:${from.version}:${to.version}`, attributes) } }
}
