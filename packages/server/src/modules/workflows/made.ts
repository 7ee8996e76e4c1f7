import type { ReadTx } from '../../db/tx.ts'
import { actorId } from '../../kernel/actor.ts'
import type { WriteContext } from '../../kernel/implement.ts'
import { kindOf, listToActAs, lockWorkflow, updateWorkflow, listWorking } from '../definitions/index.ts'
import { inboundTrigger, heartbeatPlugin } from '../plugins/index.ts'
import { type WorkflowKind, type WorkflowKinds, stopWorkflow, type WorkflowServices } from '../runs/index.ts'
import { actingAs, type WorkingKind } from '../identity/acting/index.ts'

type Found = Awaited<ReturnType<typeof listToActAs>>[number]

type MadeName = WorkflowKind['madeAs'] | 'inbound_addresses' | 'schedules'

/** Returns what workflows are to the person whom they act for: each is of one kind, and may be of the last two too. */
const namedBy = (kinds: WorkflowKinds): [MadeName, (workflow: Found) => boolean][] => [
  ...kinds.map(({ madeAs, type }): [MadeName, (workflow: Found) => boolean] => [
    madeAs,
    (found) => found.type === type,
  ]),
  [
    'inbound_addresses',
    ({ type, trigger_plugin: trigger }) => kindOf(kinds, type).hasAddress === true || trigger === inboundTrigger.id,
  ],
  ['schedules', ({ trigger_plugin: trigger }) => trigger === heartbeatPlugin],
]

/** The workflows that act for a member, as the kinds of things that a member has made. */
export const workflowsMade = (kinds: WorkflowKinds) =>
  namedBy(kinds).map(([name, isOfKind]) => {
    const find = async (tx: ReadTx, workspaceId: string, userId: string): Promise<Found[]> =>
      (await listToActAs(tx, workspaceId)).filter((found) => found.actor.id === userId && isOfKind(found))
    return {
      name,
      list: async (tx: ReadTx, workspaceId: string, userId: string) =>
        (await find(tx, workspaceId, userId)).map(({ id, name: title, enabled }) => ({ id, name: title, enabled })),
      async end(ctx: WriteContext, userId: string): Promise<void> {
        for (const { id } of await find(ctx.tx, ctx.workspace.workspaceId, userId)) await disable(ctx, id)
      },
    }
  })

/** Disables a workflow, whose runs and history stay. */
async function disable(ctx: WriteContext, id: string): Promise<void> {
  const { workspaceId } = ctx.workspace
  const row = await lockWorkflow(ctx.tx, workspaceId, id)
  if (row?.enabled !== true) return
  await updateWorkflow(ctx.tx, workspaceId, id, {
    enabled: false,
    version: row.version + 1,
    updated_at: Math.max(ctx.now, row.updated_at),
    updated_by: actorId(ctx.actor),
  })
  await ctx.emit([{ type: 'workflow.updated', object: 'workflow', recordId: id, payload: {} }])
}

/** Lists workflows, agents and campaigns, which stop when the credential ends with which they were enabled. */
export const workingWorkflows =
  (services: Pick<WorkflowServices, 'writeEvents' | 'kinds'>): WorkingKind =>
  async (reader, at) =>
    (await listWorking(reader, at.workspaceId)).map((workflow) => ({
      actor: actingAs(workflow.actor, at.workspaceId),
      stop: async (tx, stopped) => void (await stopWorkflow(tx, services, at, { workflow, stopped })),
    }))
