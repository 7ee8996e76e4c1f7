import type { WorkspaceReadContext, WriteContext } from '../../../kernel/implement.ts'
import type { Field } from '../../fields/index.ts'
import {
  objectAccess,
  linkEndOf,
  listObjects,
  type ObjectModel,
  lockRecords,
  type RecordRow,
} from '../../objects/index.ts'
import type { Values } from './parse-attributes.ts'
import type { Update } from './strategies.ts'
import { applyUpdates } from './update.ts'

/** A to-one reference field of some object, and the relationship name of its links. */
export type ReferringField = { readonly object: ObjectModel; readonly field: Field; readonly relationship: string }

/** All links that records of an object may have, by their end. */
export type Relationships = {
  /** To-one references of any object that point to this one; the referring records hold their values too. */
  readonly references: readonly ReferringField[]
  readonly outgoing: readonly string[]
  readonly incoming: readonly string[]
}

export async function relationshipsOf(ctx: WorkspaceReadContext, target: ObjectModel): Promise<Relationships> {
  const references = [...(await listObjects(ctx)).values()].flatMap((object) =>
    object.references
      .filter(({ relationship }) => relationship?.entity === target.name)
      .map((field) => ({ object, field, relationship: linkEndOf(object, field).relationship })),
  )
  const linkEnds = [...target.fields.values()]
    .filter(({ relationship }) => relationship !== undefined)
    .map((field) => linkEndOf(target, field))
  const at = (wanted: 'from_id' | 'to_id') =>
    linkEnds.filter(({ end }) => end === wanted).map(({ relationship }) => relationship)
  return {
    references,
    outgoing: at('from_id'),
    incoming: [...new Set([...references.map(({ relationship }) => relationship), ...at('to_id')])],
  }
}

/** Referring records are read and changed in batches of this size. */
const changedAtOnce = 1000

/**
 * Changes live records because the records that they refer to changed, whether the caller sees them or not; a
 * credential whose scopes exclude their object may not change them. The caller updates the links; `change` may leave a
 * record as it is.
 */
export async function changeReferring(
  ctx: WriteContext,
  object: ObjectModel,
  ids: readonly string[],
  change: (row: RecordRow) => Values | undefined,
): Promise<void> {
  if (ids.length === 0) return
  const target = objectAccess(ctx, object, 'write')
  for (let start = 0; start < ids.length; start += changedAtOnce) {
    const rows = await lockRecords(
      ctx.tx,
      ctx.workspace.workspaceId,
      object.key,
      ids.slice(start, start + changedAtOnce),
      'change',
    )
    const updates = rows.flatMap((row): Update[] => {
      const values = change(row)
      return values === undefined ? [] : [{ row, values, strategies: new Map(), path: [] }]
    })
    // A reference is not a unique value, so this cannot raise an error that some callers do not declare.
    await applyUpdates(ctx as WriteContext<'unique_violation'>, target, updates, { keepLinks: true })
  }
}
