import type { AsyncTaskResource, FieldSchemaInput, NewFieldSchema, ObjectSchemaInput } from '@kontor/contract'
import { Faults } from '../../records/index.ts'
import {
  holdSchemas,
  type SchemaContext,
  type SchemaDocument,
  type Sent,
  type StoredSchema,
} from '../../schemas/index.ts'
import type { ReplaceRequest } from '../change/replacement.ts'
import { checkFields } from '../document/check-document.ts'
import { begin } from '../queue/accept.ts'
import { requireObject } from '../change/request.ts'
import { requireDistinct } from './distinct.ts'

/** Gives an object another document. */
export async function replaceObject(
  ctx: SchemaContext,
  name: string,
  given: Sent<ObjectSchemaInput>,
): Promise<AsyncTaskResource> {
  const before = requireObject(await holdSchemas(ctx), name)
  const request = replacementOf(before, given)
  await requireDistinct(ctx, before, request)
  return begin(ctx, request)
}

/** Checks a document in every way that needs neither a record nor another object; throws all of its faults. */
export function replacementOf(before: StoredSchema, { value, path }: Sent<ObjectSchemaInput>): ReplaceRequest {
  const faults = new Faults()
  checkIdentity(before.title, value, path, faults)
  const { fields, renames } = withoutRenames(before, value.properties, [...path, 'properties'], faults)
  const properties = checkFields(fields, [...path, 'properties'], faults)
  faults.throwIfAny()
  return {
    kind: 'replace',
    object: before.title,
    document: completed({ ...value, properties }, before.document),
    renames: [...renames],
    base: { version: before.version, document: before.document, keys: before.keys },
    path,
  }
}

/** A document names its object by the end of its `$id`; the address of the server does not matter. */
export const objectOfId = (id: string): string =>
  decodeURIComponent(/\/schemas\/entities\/([^/?#]+)$/.exec(id)?.[1] ?? '')

/** Checks that a document names the object in the path. */
export function checkIdentity(
  object: string,
  { $id, title }: ObjectSchemaInput,
  path: Sent<unknown>['path'],
  faults: Faults,
): void {
  if (objectOfId($id) !== object)
    faults.add([...path, '$id'], `Must end in /schemas/entities/${object}, the object in the path.`)
  if (title !== undefined && title !== object)
    faults.add([...path, 'title'], `Must be "${object}", the object in the path; the display name is in xSvcLabel.`)
}

type Renamed = {
  readonly fields: Readonly<Record<string, NewFieldSchema>>
  readonly renames: ReadonlyMap<string, string>
}

/**
 * Removes `xSvcPrevName` from the fields. If the new name exists and the old one does not, the renaming was done
 * before.
 */
function withoutRenames(
  before: StoredSchema,
  given: Readonly<Record<string, FieldSchemaInput>>,
  at: Sent<unknown>['path'],
  faults: Faults,
): Renamed {
  const renames = new Map<string, string>()
  const has = (name: string) => Object.hasOwn(before.properties, name)
  const fields = Object.entries(given).map(([name, { xSvcPrevName: old, ...schema }]): [string, NewFieldSchema] => {
    const done = old !== undefined && !has(old) && has(name)
    if (old === undefined || old === name || done) return [name, schema]
    const fault = !has(old)
      ? `There is no field "${old}" to rename.`
      : [...renames.values()].includes(old)
        ? `"${old}" is already renamed.`
        : Object.hasOwn(given, old) && given[old]?.xSvcPrevName === undefined
          ? `"${old}" still exists: a field can only have one name.`
          : undefined
    if (fault !== undefined) faults.add([...at, name, 'xSvcPrevName'], fault)
    renames.set(name, old)
    return [name, schema]
  })
  return { fields: Object.fromEntries(fields), renames }
}

type Completable = Omit<ObjectSchemaInput, 'properties'> & { readonly properties: SchemaDocument['properties'] }

/** Members that every object has may be left out: they keep their value. */
function completed(given: Completable, before: SchemaDocument): SchemaDocument {
  const kept = (['title', 'type', 'xSvcNamespace', 'xSvcLabel'] as const).filter(
    (keyword) => given[keyword] === undefined,
  )
  return {
    ...Object.fromEntries(kept.map((keyword) => [keyword, before[keyword]])),
    ...given,
  } as unknown as SchemaDocument
}
