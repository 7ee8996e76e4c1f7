import { addToCount, publicCounter } from '../../db/counters.ts'
import type { WriteContext } from '../../kernel/implement.ts'
import type { ObjectModel } from './object.ts'
import { updateVisibility, type RecordRow } from './store.ts'

const publicOf = (rows: readonly Pick<RecordRow, 'visibility'>[]): number => rows.filter(({ visibility }) => visibility > 0).length

/** What live records that come (1) or go (-1) change, by counter: of all records of the object, and of those that are public in the workspace. */
export const countsOf = ({ key }: Pick<ObjectModel, 'key'>, rows: readonly Pick<RecordRow, 'visibility'>[], by: 1 | -1): Map<string, number> =>
  new Map([[key, by * rows.length], [publicCounter(key), by * publicOf(rows)]])

/** Changes what the workspace is granted on a live record that is locked. */
export async function changeVisibility(ctx: WriteContext, { key }: Pick<ObjectModel, 'key'>, before: Pick<RecordRow, 'id' | 'visibility'>, visibility: number): Promise<void> {
  const { tx, workspace: { workspaceId } } = ctx
  await Promise.all([
    updateVisibility(tx, workspaceId, before.id, visibility),
    addToCount(tx, workspaceId, publicCounter(key), publicOf([{ visibility }]) - publicOf([before]), ctx.newId()),
  ])
}
