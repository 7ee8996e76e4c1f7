import type { z } from 'zod'
import { type resources, suggestion } from '@kontor/contract'
import { defined } from '../../../lib/guards.ts'
import type { WriteContext } from '../../../kernel/implement.ts'
import type { Field } from '../../fields/index.ts'
import { findObject, isToMany, type ObjectModel, type RecordRow } from '../../objects/index.ts'
import { lockAssignedCounterparts } from '../one-to-one/lock.ts'
import { Faults } from './faults.ts'
import { createRecords, type Written } from './create-records.ts'
import { addLinks, requireRelated, takeOver } from './links.ts'
import type { WriteTarget } from './target.ts'

type LinkContext = WriteContext<'unique_violation' | 'related_not_found'>
type Body = z.output<typeof resources.create.body>['data']
type Identifier = { readonly type: string; readonly id: string }

/** Creates one record and its links in the same transaction. */
export async function createWithLinks(
  ctx: LinkContext,
  objectName: string,
  body: Body,
): Promise<{ target: WriteTarget; written: Written }> {
  const { object } = await findObject(ctx, objectName, 'write')
  const faults = new Faults()
  const links = Object.entries(body.relationships ?? {}).flatMap(([name, { data }]) =>
    parseLink(object, name, data, faults),
  )
  faults.throwIfAny()
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
  // Without `match_on` nothing is matched, so nothing can be ambiguous.
  const { target, written } = await createRecords(
    ctx as WriteContext<'unique_violation' | 'match_ambiguous'>,
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

function parseLink(object: ObjectModel, name: string, data: Identifier | Identifier[] | null, faults: Faults): Link[] {
  const path = ['data', 'relationships', name]
  const field = object.fields.get(name)
  if (field?.relationship === undefined) {
    const allowed = [...object.fields.values()]
      .filter(({ relationship }) => relationship !== undefined)
      .map((one) => one.name)
    faults.add(path, `${object.name} has no relationship "${name}".${suggestion(name, allowed)}`)
    return []
  }
  const { entity } = field.relationship
  const identifiers = data === null ? [] : [data].flat()
  if (!isToMany(field) && Array.isArray(data))
    faults.add([...path, 'data'], 'Must be one record or null, since this is a to-one relationship.')
  identifiers.forEach(({ type }, index) => {
    if (type !== entity)
      faults.add([...path, 'data', ...(Array.isArray(data) ? [index] : []), 'type'], `Must be "${entity}".`)
  })
  return [{ field, ids: [...new Set(identifiers.map(({ id }) => id))] }]
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
