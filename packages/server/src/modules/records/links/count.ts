import { addToCounts, linkCounter } from '../../counters/index.ts'
import type { Tx } from '../../../db/tx.ts'
import { derived } from '../../../lib/caches.ts'
import type { LinkEnd } from '../../schemas/index.ts'
import { isToMany, linkEndOf, type ObjectModel, type LinkRow } from '../../objects/index.ts'

/** A transaction that changes links, and its source of ids. */
export type LinkWriter = {
  readonly tx: Tx
  readonly workspace: { readonly workspaceId: string }
  readonly newId: () => string
}

type Ends = ReadonlyMap<string, readonly LinkEnd['end'][]>

/**
 * By relationship, the ends of an object's links at which a record may have many: their live links are counted. Links
 * of to-one references without an inverse, such as the owner of a record, are never listed from the other end, and are
 * not counted.
 */
const countedEnds = derived(
  (object: ObjectModel): Ends =>
    new Map(
      [...object.fields.values()].flatMap((field) => {
        const { kind, field: back } = field.relationship ?? {}
        if (kind === 'many-to-many') return [[linkEndOf(object, field).relationship, ['from_id', 'to_id']]]
        return isToMany(field) || (kind === 'many-to-one' && back !== undefined)
          ? [[linkEndOf(object, field).relationship, ['to_id']]]
          : []
      }),
    ),
)

/** Counter changes when live links are added (1) or removed (-1). */
export function changesOfCounts(object: ObjectModel, links: readonly LinkRow[], by: 1 | -1): Map<string, number> {
  const ends = countedEnds(object)
  const changes = new Map<string, number>()
  for (const link of links) {
    for (const end of ends.get(link.relationship) ?? []) {
      const name = linkCounter({ relationship: link.relationship, end }, link[end])
      changes.set(name, (changes.get(name) ?? 0) + by)
    }
  }
  return changes
}

/** Updates the counters for live links that are added or removed. */
export const countChange = (
  { tx, workspace, newId }: LinkWriter,
  object: ObjectModel,
  links: readonly LinkRow[],
  by: 1 | -1,
): Promise<void> => addToCounts(tx, workspace.workspaceId, changesOfCounts(object, links, by), newId)
