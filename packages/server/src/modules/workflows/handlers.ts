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
import { requireReadableCode, requireReadableToRun, requireReadableVersion } from './check-code.ts'
import {
  kindOf,
  requireCommonWorkflow,
  requireGraph,
  requireWorkflow,
  presentVersion,
  presentWorkflow,
  shownGraph,
  type Workflow,
} from '../definitions/index.ts'
import { diffGraphs, rehearsalMeta } from './diff.ts'
import { getAddress, rotateAddress } from './inbound/address.ts'
import { pageOfPlugins, pageOfVersions, pageOfWorkflows } from './pages.ts'
import {
  cancelAll,
  type WorkflowKinds,
  cancelRun,
  getRun,
  getRunStep,
  pageOfRuns,
  requireCommonRun,
  resumeRun,
  retryRun,
  runByHand,
} from '../runs/index.ts'
import { rotateSigningSecret } from './signing/secrets.ts'
import { changeWorkflow, createWorkflow, removeWorkflow, restoreVersion, type WorkflowParts } from './service.ts'

const answer = (ctx: WorkspaceReadContext, kinds: WorkflowKinds, workflow: Workflow) => ({
  body: { data: presentWorkflow(ctx, kinds, workflow) },
  version: workflow.row.version,
})

type Services = WorkflowParts & { readonly keys: KeyRing; readonly pool: Pool }

export const workflowHandlers = ({ plugins, kinds, keys, pool }: Services) => {
  const parts = { plugins, kinds }
  return implement(workflows, {
    list: async (ctx, input) => ({ body: await pageOfWorkflows(ctx, kinds, input) }),

    create: creating(parts, pool),

    get: async (ctx, { id }) => answer(ctx, kinds, await requireWorkflow(ctx, id)),

    update: updating(parts, pool),

    async remove(ctx, { id }) {
      await requireCommonWorkflow(ctx, kinds, id)
      await removeWorkflow(ctx, id)
      return { body: {} }
    },

    async rotateSecret(ctx, input) {
      await requireCommonWorkflow(ctx, kinds, input.id)
      return rotateSigningSecret(ctx, keys, input)
    },

    getAddress: async (ctx, { id }) => getAddress(ctx, { keys, kinds }, await requireCommonWorkflow(ctx, kinds, id)),

    rotateAddress: async (ctx, { id }) =>
      rotateAddress(ctx, { keys, kinds }, await requireCommonWorkflow(ctx, kinds, id)),

    listVersions: async (ctx, input) => ({ body: await pageOfVersions(ctx, kinds, input) }),

    async getVersion(ctx, { id, version }) {
      const workflow = await requireWorkflow(ctx, id)
      return {
        body: {
          data: presentVersion(ctx, kindOf(kinds, workflow.row.type), await requireGraph(ctx, workflow, version)),
        },
      }
    },

    compareVersions: (ctx, input) => compareVersions(ctx, kinds, input),

    restoreVersion: restoring(parts, pool),

    listRuns: async (ctx, input) => ({ body: await pageOfRuns(ctx, kinds, workflows.listRuns, input, input.id) }),

    run: running(parts, pool),

    getRun: (ctx, { id }) => getRun(ctx, kinds, id),

    getRunStep: (ctx, { id, number }) => getRunStep(ctx, kinds, { id, number }),

    async retryRun(ctx, { id, body }) {
      await requireCommonRun(ctx, kinds, id)
      return retryRun(ctx, kinds, { id, from: body.from })
    },

    async cancelRun(ctx, { id }) {
      await requireCommonRun(ctx, kinds, id)
      return cancelRun(ctx, kinds, id)
    },

    async resumeRun(ctx, { id }) {
      await requireCommonRun(ctx, kinds, id)
      return resumeRun(ctx, kinds, id)
    },

    listPlugins: async (ctx, input) => ({ body: await pageOfPlugins(ctx, parts, input) }),
  })
}

/** The attributes of a body, and where they are in it. */
const sentIn = <A extends WorkflowChange>(body: A | { readonly data: { readonly attributes: A } }) =>
  'data' in body ? { attributes: body.data.attributes, base: ['data', 'attributes'] } : { attributes: body, base: [] }

const creating = ({ plugins, kinds }: WorkflowParts, pool: Pool): Handlers<typeof workflows>['create'] =>
  inTwoParts(async (read, { body, dry_run }) => {
    await requireReadableCode(read, pool, sentIn(body))
    return async (ctx) => {
      const created = answer(ctx, kinds, await createWorkflow(ctx, { plugins, kinds }, body))
      const meta = rehearsalMeta(dry_run, undefined, created.body.data)
      return { ...created, body: { ...created.body, ...meta } }
    }
  })

const updating = (parts: WorkflowParts, pool: Pool): Handlers<typeof workflows>['update'] =>
  inTwoParts(async (read, input) => {
    await requireReadableCode(read, pool, sentIn(input.body), input.id)
    return (ctx) => updateWorkflow(ctx, parts, input)
  })

const restoring = ({ plugins, kinds }: WorkflowParts, pool: Pool): Handlers<typeof workflows>['restoreVersion'] =>
  inTwoParts(async (read, path) => {
    await requireReadableVersion(read, pool, path)
    return async (ctx) => {
      await requireCommonWorkflow(ctx, kinds, path.id)
      return answer(ctx, kinds, await restoreVersion(ctx, { plugins, kinds }, path))
    }
  })

const running = ({ plugins, kinds }: WorkflowParts, pool: Pool): Handlers<typeof workflows>['run'] =>
  inTwoParts(async (read, input) => {
    const { id, body, dry_run: isAsked } = input
    const parameter = isAsked === true ? 'dry_run' : undefined
    await requireReadableToRun(read, pool, id, { base: [], attributes: body, parameter })
    return async (ctx) => {
      await requireCommonWorkflow(ctx, kinds, id)
      return runByHand(ctx, { plugins, kinds }, input)
    }
  })

/** Changes a workflow, or says what would differ. */
async function updateWorkflow(
  ctx: WriteContext,
  { plugins, kinds }: WorkflowParts,
  { id, body: given, dry_run, runs }: Input<typeof workflows.update>,
) {
  await requireCommonWorkflow(ctx, kinds, id)
  const changed = await changeWorkflow(ctx, { plugins, kinds }, id, given)
  if (runs !== undefined) await cancelAll(ctx, changed)
  const { body, version } = answer(ctx, kinds, changed)
  const meta = rehearsalMeta(dry_run, presentWorkflow(ctx, kinds, changed.before), body.data)
  return { body: { ...body, ...meta }, version }
}

async function compareVersions(
  ctx: WorkspaceReadContext,
  kinds: WorkflowKinds,
  { id, version, with: other }: Input<typeof workflows.compareVersions>,
) {
  const workflow = await requireWorkflow(ctx, id)
  const to = await requireGraph(ctx, workflow, version)
  const from = await requireGraph(ctx, workflow, other ?? Math.max(1, to.version - 1))
  const shown = ({ graph }: typeof from) => shownGraph(ctx, kindOf(kinds, workflow.row.type), graph)
  const attributes = { from: from.version, to: to.version, diff: diffGraphs(shown(from), shown(to)) }
  return { body: { data: resource('workflow-diff', `${id}:${from.version}:${to.version}`, attributes) } }
}
