import type { Field, RecordData } from '../../fields/index.ts'
import type { ObjectModel, LinkRow, RecordRow } from '../../objects/index.ts'
import type { Ends } from './lock-links.ts'
import { lostPairs, referencesByRelationship } from './lost-pairs.ts'

/** The outcome for links that waited for records which are restored. */
export type Reconnection = {
  /** The new references of the restored records, by id; only if they differ from those at deletion. */
  readonly data: ReadonlyMap<string, RecordData>
  readonly shown: readonly LinkRow[]
  /** Links whose other end is deleted: its restore will bring them back. */
  readonly waiting: readonly (LinkRow & { readonly hidden_by: string })[]
  readonly dropped: readonly LinkRow[]
  /** References of live records to restored ones, each to be set if the field is still empty. */
  readonly offers: readonly Offer[]
}

export type Offer = { readonly object: ObjectModel; readonly field: Field; readonly link: LinkRow }

type World = {
  readonly objects: ReadonlyMap<string, ObjectModel>
  /** The object of the restored records. */
  readonly object: ObjectModel
  readonly rows: readonly RecordRow[]
  readonly ends: Ends
  /** The documents of live records that were counterparts of restored ones. */
  readonly partners: ReadonlyMap<string, RecordData>
}

/** Decides the outcome of each link; pure. A field of a record has at most one link of a to-one reference. */
export function reconnect(links: readonly LinkRow[], { objects, object, rows, ends, partners }: World): Reconnection {
  const back = new Set(rows.map(({ id }) => id))
  const isLive = (id: string) => back.has(id) || ends.get(id)?.deleted === false
  const exists = (id: string) => back.has(id) || ends.has(id)
  const linked = links.filter(({ from_id, to_id }) => isLive(from_id) && isLive(to_id))
  const lost = lostPairs(linked, { objects, rows, partners })
  const whole = linked.filter((link) => !lost.has(link))
  const torn = links.filter(({ from_id, to_id }) => !isLive(from_id) || !isLive(to_id))
  const byRelationship = referencesByRelationship(objects)
  const references = whole.flatMap((link): Offer[] => {
    const found = byRelationship.get(link.relationship)
    return found === undefined ? [] : [{ ...found, link }]
  })
  const own = ownReferences(
    object,
    rows,
    references.filter(({ link }) => back.has(link.from_id)),
  )
  const isReference = new Set(references.map(({ link }) => link))
  return {
    data: own.data,
    shown: [...whole.filter((link) => !isReference.has(link)), ...own.kept],
    waiting: torn
      .filter(({ from_id, to_id }) => exists(from_id) && exists(to_id))
      .map((link) => ({ ...link, hidden_by: isLive(link.from_id) ? link.to_id : link.from_id })),
    dropped: [...lost, ...own.dropped, ...torn.filter(({ from_id, to_id }) => !exists(from_id) || !exists(to_id))],
    offers: references.filter(({ link }) => !back.has(link.from_id)),
  }
}

/**
 * Each field takes back the record that it referred to, if that is live, or else one that was restored while this one
 * was deleted.
 */
function ownReferences(object: ObjectModel, rows: readonly RecordRow[], references: readonly Offer[]) {
  const data = new Map<string, RecordData>()
  const kept: LinkRow[] = []
  const byRecord = Map.groupBy(references, ({ link }) => link.from_id)
  for (const row of rows) {
    const changed: Record<string, unknown> = { ...row.data }
    for (const field of object.references) {
      const candidates = (byRecord.get(row.id) ?? [])
        .filter((one) => one.field.key === field.key)
        .map(({ link }) => link)
      const chosen = candidates.find(({ to_id }) => to_id === row.data[field.key]) ?? candidates[0]
      if (chosen === undefined) delete changed[field.key]
      else {
        changed[field.key] = chosen.to_id
        kept.push(chosen)
      }
    }
    if (object.references.some(({ key }) => changed[key] !== row.data[key])) data.set(row.id, changed)
  }
  const isKept = new Set(kept)
  return { data, kept, dropped: references.map(({ link }) => link).filter((link) => !isKept.has(link)) }
}
