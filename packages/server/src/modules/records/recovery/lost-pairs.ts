import { defined } from '../../../lib/guards.ts'
import type { Field, RecordData } from '../../fields/index.ts'
import { linkEndOf, type ObjectModel, type LinkRow, type RecordRow } from '../../objects/index.ts'
import { isOneToOne } from '../one-to-one/counterparts.ts'

type Reference = { readonly object: ObjectModel; readonly field: Field }

/** The to-one references by the name of their links; many-to-many relationships have none. */
export const referencesByRelationship = (objects: ReadonlyMap<string, ObjectModel>): ReadonlyMap<string, Reference> =>
  new Map(
    [...objects.values()].flatMap((object) =>
      object.references.map((field) => [linkEndOf(object, field).relationship, { object, field }] as const),
    ),
  )

type World = {
  readonly objects: ReadonlyMap<string, ObjectModel>
  /** Records that are being restored. */
  readonly rows: readonly RecordRow[]
  /** Live records that were their counterparts. */
  readonly partners: ReadonlyMap<string, RecordData>
}

/** One end of a one-to-one pair: the record, the name of its links, and its value. */
type End = { readonly id: string; readonly relationship: string; readonly key: string }

type Pair = { readonly ends: readonly [End, End]; readonly links: LinkRow[] }

/**
 * The links of one-to-one relationships that cannot be restored although both ends exist again, because one of the two
 * has another counterpart by now. If a record was part of several pairs, the one that its document names is the last.
 */
export function lostPairs(links: readonly LinkRow[], { objects, rows, partners }: World): ReadonlySet<LinkRow> {
  const back = new Map(rows.map(({ id, data }) => [id, data]))
  const isLast = ({ ends: [one, other] }: Pair) =>
    back.get(one.id)?.[one.key] === other.id || back.get(other.id)?.[other.key] === one.id
  const taken = new Set<string>()
  const lost = new Set<LinkRow>()
  const all = pairsOf(links, objects)
  for (const pair of [...all.filter(isLast), ...all.filter((one) => !isLast(one))]) {
    const keys = pair.ends.map(({ id, relationship }) => `${relationship} ${id}`)
    if (pair.ends.some(({ id, key }) => partners.get(id)?.[key] !== undefined) || keys.some((key) => taken.has(key)))
      pair.links.forEach((link) => lost.add(link))
    else keys.forEach((key) => taken.add(key))
  }
  return lost
}

/** Each pair has two links, one from each end. */
function pairsOf(links: readonly LinkRow[], objects: ReadonlyMap<string, ObjectModel>): Pair[] {
  const byRelationship = referencesByRelationship(objects)
  const pairs = new Map<string, Pair>()
  for (const link of links) {
    const reference = byRelationship.get(link.relationship)
    if (reference === undefined || !isOneToOne(reference.field)) continue
    const ends = endsOf(link, reference, objects)
    const name = ends
      .map(({ id, relationship }) => `${relationship} ${id}`)
      .toSorted()
      .join(' ')
    const pair = pairs.get(name) ?? { ends, links: [] }
    pairs.set(name, pair)
    pair.links.push(link)
  }
  return [...pairs.values()]
}

function endsOf(
  { relationship, from_id, to_id }: LinkRow,
  { field }: Reference,
  objects: ReadonlyMap<string, ObjectModel>,
): [End, End] {
  const there = defined(objects.get(defined(field.relationship).entity))
  const back = defined(there.fields.get(field.relationship?.field ?? ''))
  return [
    { id: from_id, relationship, key: field.key },
    { id: to_id, relationship: linkEndOf(there, back).relationship, key: back.key },
  ]
}
