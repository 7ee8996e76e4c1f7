import { rowsOf } from '../../db/rows.ts'
import { param, statement } from '../../db/statement.ts'
import type { ReadTx, Tx } from '../../db/tx.ts'
import { plainCampaign, type CampaignRow } from './enrolments/store.ts'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { isId } from '../../kernel/ids.ts'
import { findWorkflow, type Workflow } from '../definitions/index.ts'

const columns = [
  'workflow_id',
  'sending',
  'ends_on_reply',
  'enrolment_task_id',
] as const satisfies readonly (keyof CampaignRow)[]

const some = statement<{ workspace_id: string; ids: readonly string[] }, CampaignRow>(({ knex, dialect }) =>
  knex('campaign')
    .select(...columns)
    .where({ workspace_id: param('workspace_id') })
    .where(dialect.oneOf('workflow_id', param('ids'))),
)

/** Finds the rows of some campaigns, by the ids of their workflows. */
export async function findCampaigns(
  tx: ReadTx,
  workspaceId: string,
  ids: readonly string[],
): Promise<(id: string) => CampaignRow> {
  const rows = ids.length === 0 ? [] : await tx.all(some, { workspace_id: workspaceId, ids })
  const byId = new Map(rows.map((row) => [row.workflow_id, row]))
  return (id) => byId.get(id) ?? plainCampaign(id)
}

export const findCampaign = async (tx: ReadTx, workspaceId: string, id: string): Promise<CampaignRow> =>
  (await findCampaigns(tx, workspaceId, [id]))(id)

/** Stores what a sequence has as a campaign; its workflow is locked. */
export async function putCampaign(tx: Tx, workspaceId: string, row: CampaignRow): Promise<void> {
  const whole = { workspace_id: workspaceId, ...row }
  const inserted = await tx.insertNew('campaign', [whole], ['workflow_id'])
  if (inserted.length === 0) await tx.updateByKey('campaign', ['workspace_id', 'workflow_id'], [whole])
}

export const deleteCampaign = rowsOf<CampaignRow>('campaign', columns).remove('workspace_id', 'workflow_id')

/** A campaign by its id; every member may see every campaign, but only people whom they may see. */
export async function requireCampaign(ctx: WorkspaceReadContext, id: string): Promise<Workflow> {
  const found = isId(id) ? await findWorkflow(ctx.tx, ctx.workspace.workspaceId, id) : undefined
  if (found?.row.type !== 'sequence') throw ctx.fail('not_found', { detail: 'There is no campaign with this id.' })
  return found
}
