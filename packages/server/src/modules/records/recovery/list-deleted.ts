import type { RecordPage } from '@kontor/contract'
import type { WorkspaceReadContext } from '../../../kernel/implement.ts'
import { pageEnvelope } from '../../../kernel/page-links.ts'
import { findObject } from '../object.ts'
import { presentDeleted } from '../present.ts'
import { encodeCursor, type CursorScope } from '../query/cursor.ts'
import { placeOf } from '../query/listing.ts'
import { querySources } from '../query/sources.ts'
import { keptMs } from './retention.ts'
import { countDeleted, listDeleted, type DeletedRow, type DeletedSet } from './store.ts'

type Input = { readonly workspace: string; readonly object: string; readonly page: RecordPage }

/** What was deleted and can be restored, of what the caller could see, the last deleted first. */
export async function listDeletedRecords(ctx: WorkspaceReadContext<'cursor_mismatch'>, { workspace, object: name, page }: Input) {
  const { object, asker } = await findObject(ctx, name)
  const set: DeletedSet = { workspaceId: ctx.workspace.workspaceId, object: object.key, asker, after: ctx.now - keptMs }
  const scope: CursorScope = { object: object.key, sort: [{ column: { kind: 'system', name: '_deleted_at', column: 'deleted_at' }, descending: true }], filter: undefined }
  const place = placeOf(ctx, scope, page, querySources.page)
  const beyond = place && { deletedAt: place.cursor.at.values[0] as number, id: place.cursor.at.id, direction: place.direction }
  const [rows, total] = await Promise.all([listDeleted(ctx.tx, set, { offset: page.offset, rows: page.limit + 1, beyond }), page.total === 'none' ? undefined : countDeleted(ctx.tx, set)])
  if (beyond?.direction === 'before') rows.reverse()
  const { shown, before, after } = trim(rows, page, beyond?.direction)
  const cursorOf = (row: DeletedRow | undefined) => row && encodeCursor(scope, { at: { values: [row.deleted_at], id: row.id }, horizon: undefined })
  const envelope = pageEnvelope({
    url: `${ctx.baseUrl}/workspaces/${workspace}/objects/${name}/deleted-resources`,
    query: { page: page.total === 'none' ? { total: 'none' } : {} },
    offset: page.offset,
    limit: page.limit,
    shown: shown.length,
    total,
    after: after ? cursorOf(shown.at(-1)) : undefined,
    before: before ? cursorOf(shown[0]) : undefined,
  })
  return { data: await presentDeleted(ctx, object, shown), ...envelope }
}

/** Takes the extra row off again; it only told that there is more. */
function trim(rows: readonly DeletedRow[], { limit, offset }: RecordPage, direction: 'after' | 'before' | undefined) {
  const more = rows.length > limit
  if (direction === 'before') return { shown: more ? rows.slice(-limit) : rows, before: more, after: true }
  return { shown: more ? rows.slice(0, limit) : rows, before: offset > 0, after: more }
}
