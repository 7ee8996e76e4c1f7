import type { ReadTx } from '../../db/tx.ts'
import type { Verification } from '../../kernel/verification.ts'
import { enqueue } from '../store.ts'
import type { JobType } from '../types.ts'
import { lateMs, listKeys, type OpenPage } from './store.ts'

type Open = { readonly id: string }

type KeyedWork<P, R extends Open> = {
  readonly name: string
  readonly kind: JobType<P>
  /** Work of a workspace that has not ended and was there before an instant, behind an id, in the order of ids. */
  readonly list: (tx: ReadTx, workspaceId: string, page: OpenPage) => Promise<readonly R[]>
  readonly payloadOf: (row: R) => P
}

const portionRows = 1000

/** Verifies that work which has not ended has a job, whose key is its id. The repair adds the job. */
export const keyedVerification = <P, R extends Open>({
  name,
  kind,
  list,
  payloadOf,
}: KeyedWork<P, R>): Verification => ({
  name,
  async verify(tx, { workspaceId, after, now }) {
    const rows = await list(tx, workspaceId, { after, before: now - lateMs, limit: portionRows })
    const keys = await listKeys(
      tx,
      workspaceId,
      kind.name,
      rows.map(({ id }) => id),
    )
    return {
      checked: rows.length,
      discrepancies: rows
        .filter(({ id }) => !keys.has(id))
        .map((row) => ({
          detail: `${row.id} has not ended, and has no job (${kind.name}) that goes on with it`,
          repair: (writes) => enqueue(writes, { workspaceId, kind, payload: payloadOf(row), now, key: row.id }),
        })),
      next: rows.length < portionRows ? undefined : rows.at(-1)?.id,
    }
  },
})
