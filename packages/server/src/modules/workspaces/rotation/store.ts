import type { Sql } from '../../../db/sql.ts'
import { param, statement } from '../../../db/statement.ts'
import type { ReadTx, Tx } from '../../../db/tx.ts'

type Row = { readonly inbound_rotation: number }

/** Selects how often the address for inbound e-mail has been replaced. */
const one = ({ knex }: Sql) => knex('workspace').select('inbound_rotation').where('id', param('id'))

const found = statement<{ id: string }, Row>(one)
const locked = statement<{ id: string }, Row>((sql) => sql.dialect.locked(one(sql), 'change'))

/** Finds the number of replacements of the address for inbound e-mail; undefined if the workspace is gone. */
export const findInboundRotation = async (tx: ReadTx, workspaceId: string): Promise<number | undefined> =>
  (await tx.first(found, { id: workspaceId }))?.inbound_rotation

/** Replaces the address: what was sent to the one before is taken no more. */
export async function rotateInbound(tx: Tx, workspaceId: string): Promise<number> {
  const rotation = ((await tx.first(locked, { id: workspaceId }))?.inbound_rotation ?? 0) + 1
  await tx.updateByKey('workspace', ['id'], [{ id: workspaceId, inbound_rotation: rotation }])
  return rotation
}
