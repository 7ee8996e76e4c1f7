import { Failure } from '../../kernel/errors.ts'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { atLeast, levelsOn } from '../access/index.ts'
import {
  findObject,
  keptMs,
  listGone,
  listLive,
  recordTitle,
  type ObjectModel,
  type RecordRow,
} from '../objects/index.ts'

/** An object and those of its records that the caller may see. */
type VisibleRecords = { readonly object: ObjectModel; readonly rows: readonly RecordRow[] }

/** The records of an object that the caller sees, among some; undefined where they may see none of the object. */
export const listVisible = (
  ctx: WorkspaceReadContext,
  name: string,
  ids: readonly string[],
): Promise<VisibleRecords | undefined> => visibleAmong(ctx, name, (key) => listLive(ctx.tx, workspaceOf(ctx), key, ids))

/** The same of deleted records that are not purged yet, merged ones included: as they were when they were deleted. */
export const listVisibleDeleted = (
  ctx: WorkspaceReadContext,
  name: string,
  ids: readonly string[],
): Promise<VisibleRecords | undefined> =>
  visibleAmong(ctx, name, (key) => listGone(ctx.tx, workspaceOf(ctx), key, ids, ctx.now - keptMs))

const workspaceOf = ({ workspace }: WorkspaceReadContext): string => workspace.workspaceId

async function visibleAmong(
  ctx: WorkspaceReadContext,
  name: string,
  list: (objectKey: string) => Promise<RecordRow[]>,
): Promise<VisibleRecords | undefined> {
  const found = await readableObject(ctx, name)
  if (found === undefined) return undefined
  const { object, principal } = found
  const { workspaceId } = ctx.workspace
  const rows = await list(object.key)
  const levelOf = await levelsOn(ctx.tx, workspaceId, principal, rows, 'view')
  return { object, rows: rows.filter((row) => atLeast(levelOf(row), 'view')) }
}

/** Returns the titles of records of any objects, by id; deleted and hidden ones are omitted. */
export async function listTitles(
  ctx: WorkspaceReadContext,
  records: readonly { readonly object: string; readonly id: string }[],
): Promise<ReadonlyMap<string, string>> {
  const titles = new Map<string, string>()
  for (const [name, some] of Map.groupBy(records, ({ object }) => object)) {
    const seen = await listVisible(ctx, name, [...new Set(some.map(({ id }) => id))])
    for (const row of seen?.rows ?? []) if (seen !== undefined) titles.set(row.id, recordTitle(seen.object, row.data))
  }
  return titles
}

async function readableObject(ctx: WorkspaceReadContext, name: string) {
  try {
    return await findObject(ctx, name, 'read')
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}
