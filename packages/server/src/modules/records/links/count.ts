import { addToCounts, linkCounter } from '../../../db/counters.ts'
import type { Tx } from '../../../db/tx.ts'
import { derived } from '../../../kernel/derived.ts'
import type { LinkPlace } from '../../schemas/index.ts'
import { isToMany, linkOf, type ObjectModel } from '../object.ts'
import type { LinkRow } from '../store.ts'

/** A transaction that changes links, and where ids come from. */
export type LinkWriter = {
  readonly tx: Tx
  readonly workspace: { readonly workspaceId: string }
  readonly newId: () => string
}

type Ends = ReadonlyMap<string, readonly LinkPlace['end'][]>

/**
 * By relationship, the ends of an object's links at which a record may have many: of these it is counted how many are live. Links
 * of references to one, such as to the owner of a record, are listed from nowhere, and not counted.
 */
const countedEnds = derived(
  (object: ObjectModel): Ends =>
    new Map(
      [...object.fields.values()].flatMap((field) => {
        const { kind, field: back } = field.relationship ?? {}
        if (kind === 'many-to-many') return [[linkOf(object, field).relationship, ['from_id', 'to_id']]]
        return isToMany(field) || (kind === 'many-to-one' && back !== undefined)
          ? [[linkOf(object, field).relationship, ['to_id']]]
          : []
      }),
    ),
)

/** What live links that come (1) or go (-1) change, by counter. */
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

/** Counts live links of an object that come or go. */
export const countChange = (
  { tx, workspace, newId }: LinkWriter,
  object: ObjectModel,
  links: readonly LinkRow[],
  by: 1 | -1,
): Promise<void> => addToCounts(tx, workspace.workspaceId, changesOfCounts(object, links, by), newId)
