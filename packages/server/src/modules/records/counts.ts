import { addToCounts, privateCounter, publicCounter, unorderedCounter } from '../counters/index.ts'
import { timeOfId } from '../../kernel/ids.ts'
import type { WriteContext } from '../../kernel/implement.ts'
import { hidden } from '../access/index.ts'
import type { ObjectModel, RecordRow } from '../objects/index.ts'
import { updateVisibility } from './store.ts'

type Visible = Pick<RecordRow, 'visibility'>

/** By counter, how many of some records are public in the workspace, and how many are private. */
const sidesOf = (object: string, rows: readonly Visible[], by: 1 | -1): [string, number][] => [
  [publicCounter(object), by * rows.filter(({ visibility }) => visibility > 0).length],
  [privateCounter(object), by * rows.filter(({ visibility }) => visibility === hidden).length],
]

/** The counter change for new records whose ids do not begin with their creation time, since they were given. */
export const unorderedOf = (
  { key }: Pick<ObjectModel, 'key'>,
  rows: readonly Pick<RecordRow, 'id' | 'created_at'>[],
): Map<string, number> =>
  new Map([[unorderedCounter(key), rows.filter(({ id, created_at }) => timeOfId(id) !== created_at).length]])

/**
 * Counter changes when live records are added (1) or removed (-1): of all records of the object, of the public ones in
 * the workspace, and of the private ones.
 */
export const countsOf = (
  { key }: Pick<ObjectModel, 'key'>,
  rows: readonly Visible[],
  by: 1 | -1,
): Map<string, number> => new Map([[key, by * rows.length], ...sidesOf(key, rows, by)])

/** Changes the `visibility` of a locked live record. */
export async function changeVisibility(
  ctx: WriteContext,
  { key }: Pick<ObjectModel, 'key'>,
  before: Pick<RecordRow, 'id' | 'visibility'>,
  visibility: number,
): Promise<void> {
  const {
    tx,
    workspace: { workspaceId },
  } = ctx
  const gone = new Map(sidesOf(key, [before], -1))
  const changes = new Map(
    sidesOf(key, [{ visibility }], 1).map(([counter, by]) => [counter, by + (gone.get(counter) ?? 0)]),
  )
  await Promise.all([
    updateVisibility(tx, workspaceId, before.id, visibility),
    addToCounts(tx, workspaceId, changes, ctx.newId),
  ])
}
