import { defaultSettings, type WorkspaceSettings } from '@kontor/contract'
import { param, statement } from '../../db/statement.ts'
import type { ReadTx, Tx } from '../../db/tx.ts'
import type { OwnSettings } from '../schemas/index.ts'

type Row = { readonly settings: OwnSettings }

const ofWorkspace = statement<{ id: string }, Row>(({ knex }) =>
  knex('workspace').select('settings').where('id', param('id')),
)

/** The settings of a workspace as they are in force, with their defaults. */
export async function findSettings(tx: ReadTx, workspaceId: string): Promise<WorkspaceSettings> {
  return { ...defaultSettings, ...(await tx.first(ofWorkspace, { id: workspaceId }))?.settings }
}

/** By which clocks and years a workspace goes. */
export type LocalTime = {
  readonly zone: string
  /** Months after January with which its fiscal year begins. */
  readonly fiscalOffset: number
}

export async function findLocalTime(tx: ReadTx, workspaceId: string): Promise<LocalTime> {
  const { time_zone: zone, fiscalYearOffset: fiscalOffset } = await findSettings(tx, workspaceId)
  return { zone, fiscalOffset }
}

export const updateOwnSettings = (tx: Tx, workspaceId: string, settings: OwnSettings): Promise<void> =>
  tx.updateByKey('workspace', ['id'], [{ id: workspaceId, settings }])
