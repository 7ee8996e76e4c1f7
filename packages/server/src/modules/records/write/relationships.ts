import type { WorkspaceReadContext } from '../../../kernel/implement.ts'
import type { Field } from '../fields/field-type.ts'
import { indexName, linkOf, listObjects, type ObjectModel } from '../object.ts'

/** A to-one reference of some object, and the name of its links. */
export type ReferringField = { readonly object: ObjectModel; readonly field: Field; readonly relationship: string }

/** All links that records of an object may have, by the end at which they stand. */
export type Relationships = {
  /** To-one references of any object that point at this one; their values stand in the records too. */
  readonly references: readonly ReferringField[]
  readonly outgoing: readonly string[]
  readonly incoming: readonly string[]
}

export async function relationshipsOf(ctx: WorkspaceReadContext, target: ObjectModel): Promise<Relationships> {
  const references = [...(await listObjects(ctx)).values()].flatMap((object) =>
    object.references.filter(({ relationship }) => relationship?.entity === target.name).map((field) => ({ object, field, relationship: indexName(object, field) })),
  )
  const places = [...target.fields.values()].filter(({ relationship }) => relationship !== undefined).map((field) => linkOf(target, field))
  const at = (wanted: 'from_id' | 'to_id') => places.filter(({ end }) => end === wanted).map(({ relationship }) => relationship)
  return { references, outgoing: at('from_id'), incoming: [...new Set([...references.map(({ relationship }) => relationship), ...at('to_id')])] }
}
