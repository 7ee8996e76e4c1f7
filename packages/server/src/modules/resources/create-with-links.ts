import type { z } from 'zod'
import type { RecordReference, resources } from '@kontor/contract'
import { defined } from '../../lib/guards.ts'
import type { WriteContext } from '../../kernel/implement.ts'
import type { Field } from '../fields/index.ts'
import { findObject, isToMany, type ObjectModel, type RecordRow } from '../objects/index.ts'
import {
  addLinks,
  createRecords,
  Faults,
  lockAssignedCounterparts,
  requireRelated,
  resolveReferences,
  takeOver,
} from '../records/index.ts'

type LinkContext = WriteContext<'unique_violation' | 'match_ambiguous' | 'related_not_found'>
type Body = z.output<typeof resources.create.body>['data']
type Identifier = { readonly type: string; readonly id: RecordReference }

/** Creates one record and its links in the same transaction. */
export async function createWithLinks(ctx: LinkContext, objectName: string, body: Body) {
  const { object } = await findObject(ctx, objectName, 'write')
  const faults = new Faults()
  const given = Object.entries(body.relationships ?? {}).flatMap(([name, { data }]) =>
    parseLink(object, name, data, faults),
  )
  faults.throwIfAny()
  const links = await resolveLinks(ctx, given)
  const attributes: Record<string, unknown> = { ...body.attributes }
  await lockAssignedCounterparts(ctx, object, [
    { attributes: Object.fromEntries(links.map(({ field, ids }) => [field.name, ids[0] ?? null])) },
  ])
  for (const { field, ids } of links) {
    if (isToMany(field)) continue
    // As an attribute, the error would be 422 with a pointer that the body does not have.
    await requireRelated(ctx, field, ids, 'refer')
    attributes[field.name] = ids[0] ?? null
  }
  const { target, written } = await createRecords(
    ctx,
    objectName,
    [{ type: body.type, attributes, path: ['data', 'attributes'] }],
    {},
  )
  const first = defined(written[0])
  for (const { field, ids } of links)
    if (isToMany(field) && ids.length > 0) await link(ctx, object, field, first.row, ids)
  return { target, written: first }
}

type Link = { readonly field: Field; readonly ids: readonly string[] }
type GivenLink = { readonly field: Field; readonly entries: readonly (Identifier & { readonly path: Path })[] }
type Path = readonly (string | number)[]

/** The links with ids in the place of matches, each once. */
async function resolveLinks(ctx: LinkContext, given: readonly GivenLink[]): Promise<Link[]> {
  const entries = given.flatMap((one) => one.entries)
  const ids = await resolveReferences(
    ctx,
    entries.map(({ id }) => id),
    (index) => defined(entries[index]).type,
    (index) => [...defined(entries[index]).path, 'id'],
  )
  const rest = ids.values()
  return given.map(({ field, entries: own }) => ({ field, ids: [...new Set(rest.take(own.length))] }))
}

function parseLink(
  object: ObjectModel,
  name: string,
  data: Identifier | Identifier[] | null,
  faults: Faults,
): GivenLink[] {
  const path = ['data', 'relationships', name]
  const field = object.fields.get(name)
  if (field?.relationship === undefined) {
    const allowed = [...object.fields.values()]
      .filter(({ relationship }) => relationship !== undefined)
      .map((one) => one.name)
    faults.addUnknown(path, `${object.name} has no relationship "${name}".`, name, allowed)
    return []
  }
  const { entity } = field.relationship
  const identifiers = data === null ? [] : [data].flat()
  if (!isToMany(field) && Array.isArray(data))
    faults.add([...path, 'data'], 'Must be one record or null, since this is a to-one relationship.')
  const entries = identifiers.map((identifier, index) => {
    const at = [...path, 'data', ...(Array.isArray(data) ? [index] : [])]
    if (identifier.type !== entity) faults.add([...at, 'type'], `Must be "${entity}".`)
    return { ...identifier, path: at }
  })
  return [{ field, entries }]
}

async function link(
  ctx: LinkContext,
  object: ObjectModel,
  field: Field,
  row: RecordRow,
  ids: readonly string[],
): Promise<void> {
  if (field.relationship?.kind === 'one-to-many') await takeOver(ctx, field, row.id, ids)
  else await addLinks(ctx, object, field, row.id, ids)
}
