import type { FieldSchema } from '@kontor/contract'
import { defined } from '../../../lib/guards.ts'
import { Faults } from '../../records/index.ts'
import {
  holdSchemas,
  type SchemaContext,
  type SchemaDocument,
  type Sent,
  type StoredSchema,
  type WorkspaceSchemas,
} from '../../schemas/index.ts'
import { replacementTargets } from '../change/replace.ts'
import { applyNow, type Services } from '../queue/begin.ts'
import { requireObject } from '../change/request.ts'

/** Puts the fields of an object into another order, in the document and in their ranks. */
export async function reorderFields(
  services: Services,
  ctx: SchemaContext,
  name: string,
  { value, path }: Sent<readonly string[]>,
): Promise<void> {
  const schemas = await holdSchemas(ctx)
  const schema = requireObject(schemas, name)
  const faults = new Faults()
  checkNames(schema, value, path, faults)
  const missing = Object.keys(schema.properties).filter((field) => !value.includes(field))
  if (missing.length > 0) faults.add(path, `Must list every field; missing: ${missing.join(', ')}.`)
  faults.throwIfAny()
  const properties = value.map((field, rank): [string, FieldSchema] => [field, presented(schema, field, { rank })])
  await present(services, ctx, schemas, schema, Object.fromEntries(properties))
}

/** Sets which fields are hidden where one record is shown. */
export async function showFields(
  services: Services,
  ctx: SchemaContext,
  name: string,
  { value, path }: Sent<Readonly<Record<string, boolean>>>,
): Promise<void> {
  const schemas = await holdSchemas(ctx)
  const schema = requireObject(schemas, name)
  const faults = new Faults()
  checkNames(schema, Object.keys(value), path, faults, (index) => defined(Object.keys(value)[index]))
  faults.throwIfAny()
  const properties = Object.keys(schema.properties).map((field): [string, FieldSchema] => [
    field,
    Object.hasOwn(value, field)
      ? presented(schema, field, { hiddenInDetails: value[field] })
      : defined(schema.properties[field]),
  ])
  await present(services, ctx, schemas, schema, Object.fromEntries(properties))
}

function checkNames(
  { title, properties }: StoredSchema,
  names: readonly string[],
  path: Sent<unknown>['path'],
  faults: Faults,
  segmentOf: (index: number) => string | number = (index) => index,
): void {
  names.forEach((name, index) => {
    if (!Object.hasOwn(properties, name))
      faults.addUnknown([...path, segmentOf(index)], `${title} has no field "${name}".`, name, Object.keys(properties))
    else if (names.indexOf(name) < index) faults.add([...path, segmentOf(index)], 'This field is already listed.')
  })
}

const presented = (
  { properties }: StoredSchema,
  field: string,
  more: NonNullable<FieldSchema['xSvcPresentation']>,
): FieldSchema => ({
  ...properties[field],
  xSvcPresentation: { ...properties[field]?.xSvcPresentation, ...more },
})

async function present(
  services: Services,
  ctx: SchemaContext,
  schemas: WorkspaceSchemas,
  schema: StoredSchema,
  properties: SchemaDocument['properties'],
): Promise<void> {
  const faults = new Faults()
  const targets = replacementTargets(
    schemas,
    schema,
    { document: { ...schema.document, properties }, renames: new Map(), path: [] },
    faults,
  )
  faults.throwIfAny()
  await applyNow(services, ctx, targets)
}
