import type { Tx } from '../../packages/server/src/db/tx.ts'
import { databaseProxy } from '../server/chaos/database-proxy.ts'
import { migratedUrl, open, workspaceId } from './fresh.ts'

/** Statements may take longer than a test, so that none ends by their limit. */
const statementTimeoutMs = 600_000

export const add = (tx: Tx, object: string): Promise<void> =>
  tx.insert('record_count', [{ workspace_id: workspaceId, object, total: 1 }])

/** Waits for the changes of a transaction so far. */
export const sent = (tx: Tx): Promise<unknown> => tx.query(({ knex }) => knex.raw('select 1'))

/** A database behind a network that can fail, and the same one without it. */
export async function behindNetwork() {
  const url = await migratedUrl()
  const network = await databaseProxy(url)
  return { url, network, database: open(network.url, { statementTimeoutMs }), beside: open(url) }
}

export type Database = Awaited<ReturnType<typeof behindNetwork>>['database']

export const objectsIn = async ({ reader }: Database): Promise<string[]> =>
  (await reader.query<{ object: string }>(({ knex }) => knex('record_count').select('object').orderBy('object'))).map(
    ({ object }) => object,
  )
