import type { RecordReference } from '@kontor/contract'
import { isId } from '../../../kernel/ids.ts'
import type { WriteContext } from '../../../kernel/implement.ts'
import { missingText } from '../../../lib/texts.ts'
import { atLeast, levelsOn } from '../../access/index.ts'
import { Faults, resolveReferences } from '../../records/index.ts'
import { objectAccess, lockRecords } from '../../objects/index.ts'
import { requireChangeable, type FoundList } from '../find.ts'
import { entryEvents } from './events.ts'
import { deleteEntries, insertEntries, type EntryWriter } from './store.ts'

type ListPath = { readonly object: string; readonly list: string }
type Entry = { readonly type: string; readonly id: RecordReference }
type MatchContext = WriteContext<'match_ambiguous'>

const writerOf = ({ tx, workspace, newId }: WriteContext): EntryWriter => ({
  tx,
  workspaceId: workspace.workspaceId,
  newId,
})

/** Adds records to a static list; existing entries stay as they are. */
export async function addEntries(
  ctx: WriteContext<'related_not_found' | 'match_ambiguous'>,
  path: ListPath,
  given: readonly Entry[],
): Promise<void> {
  const { found, ids, visible } = await prepare(ctx, path, given)
  const missing = ids.filter((id) => !visible.has(id))
  if (missing.length > 0)
    throw ctx.fail('related_not_found', {
      detail: missingText(missing, found.object.name),
      meta: { ids: missing.slice(0, 100) },
    })
  const added = await insertEntries(writerOf(ctx), found.row.id, ids)
  await ctx.emit(entryEvents('added', found.object.name, found.row.id, added))
}

/** Removes records from a static list; records that are not in it, or are hidden, are skipped. */
export async function removeEntries(ctx: MatchContext, path: ListPath, given: readonly Entry[]): Promise<void> {
  const { found, ids, visible } = await prepare(ctx, path, given)
  const removed = await deleteEntries(
    writerOf(ctx),
    found.row.id,
    ids.filter((id) => visible.has(id)),
  )
  await ctx.emit(entryEvents('removed', found.object.name, found.row.id, removed))
}

type Prepared = { readonly found: FoundList; readonly ids: readonly string[]; readonly visible: ReadonlySet<string> }

/**
 * Locks the list and the records, since their feeds are written, and returns which of the records the caller may see.
 */
async function prepare(ctx: MatchContext, path: ListPath, given: readonly Entry[]): Promise<Prepared> {
  const found = await requireChangeable(ctx, path, 'edit', 'refer')
  const { principal } = objectAccess(ctx, found.object, 'read')
  const faults = new Faults()
  if (found.row.type === 'dynamic')
    faults.add(
      ['data'],
      'The records of a dynamic list are those that its query finds: change the query or the records.',
    )
  given.forEach(({ type }, index) => {
    if (type !== found.object.name && type !== 'record')
      faults.add(['data', index, 'type'], `Must be "${found.object.name}", the object of the list.`)
  })
  faults.throwIfAny()
  const named = await resolveReferences(
    ctx,
    given.map(({ id }) => id),
    () => found.object.name,
    (index) => ['data', index, 'id'],
  )
  const ids = [...new Set(named)]
  const { workspaceId } = ctx.workspace
  const rows = await lockRecords(ctx.tx, workspaceId, found.object.key, ids.filter(isId), 'change')
  const levelOf = await levelsOn(ctx.tx, workspaceId, principal, rows, 'view')
  return { found, ids, visible: new Set(rows.filter((row) => atLeast(levelOf(row), 'view')).map(({ id }) => id)) }
}
