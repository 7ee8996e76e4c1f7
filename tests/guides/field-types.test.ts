import { fieldTypes, type FieldTypeName } from '@kontor/contract'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf, resourcesPath } from '../harness/records.ts'
import { schemasOf, schemasPath } from '../harness/schemas.ts'
import { fieldTypeExamples, ids } from './field-type-examples.ts'

const app = await startApp()
const records = recordsOf(app, 'admin')
const schemas = schemasOf(app)

const replaced = (value: Json, from: readonly string[], to: readonly string[]): Json =>
  JSON.parse(from.reduce((text, id, index) => text.replaceAll(id, to[index] ?? ''), JSON.stringify(value ?? null)))

/** Ids of this run by what stands for them in an example, and back by what the page shows. */
async function namesOfIds() {
  const companies = await records.createMany('company', [{ name: 'Acme' }, { name: 'Engines' }])
  const { body } = await app.api.get('/workspaces/acme/users')
  const real = [...companies, ...body.data.slice(0, 2)].map(({ id }: Json): string => id)
  const shown = real.map((_, index) => `01900000-0000-7000-8000-00000000000${index + 1}`)
  const named = Object.values(ids)
  return {
    sent: (value: Json) => replaced(value, named, real),
    shown: (value: Json) => replaced(replaced(value, named, shown), real, shown),
  }
}

/** An object with a field of each type, each named after its type. */
async function objectOfAllTypes(): Promise<string> {
  const fields = Object.entries(fieldTypeExamples).map(([name, { schema }]) => [name, { ...schema, xSvcType: name }])
  const { reference, ...properties } = Object.fromEntries(fields)
  const object = await schemas.make({ key: { title: 'Key', xSvcType: 'text', xSvcUnique: true }, ...properties })
  const back = { xSvcRelationship: { kind: 'one-to-many', entity: object, field: 'reference' } }
  const attributes = { [object]: { reference }, company: { samples: back } }
  const { status, body } = await app.api.post(`${schemasPath}/${object}/relationships`, {
    body: { data: { type: 'relationship', attributes } },
  })
  expect(status, JSON.stringify(body)).toBe(202)
  return object
}

async function sortedBy(object: string, name: string): Promise<Json> {
  const query = { 'sortOrder[column]': name, 'sortOrder[dir]': 'ASC', 'filter[key][Starts with]': `${name} ` }
  const { status, body } = await app.api.get(resourcesPath(object), { query })
  return status === 200 ? body.data.map(({ attributes }: Json) => attributes[name]) : null
}

async function operatorsOf(object: string, name: string): Promise<Json> {
  const { body } = await app.api.get(resourcesPath(object), { query: { [`filter[${name}][Nonsense]`]: 'x' } })
  const [error] = body.errors
  expect(error.code).toBe('unknown_operator')
  return error.meta.allowed
}

/** The docs are built without the server, so this is committed; `vitest run guides/field-types -u` writes it. */
test('takes, returns, sorts and merges values of each type as the docs show', async () => {
  const { sent, shown } = await namesOfIds()
  const object = await objectOfAllTypes()
  const told = await Promise.all(fieldTypes.map((name) => shownOf(object, name, sent, shown)))
  await expect(`${JSON.stringify(told, null, 1)}\n`).toMatchFileSnapshot(
    '../../packages/docs/src/site/field-types.json',
  )
})

async function shownOf(
  object: string,
  name: FieldTypeName,
  sent: (value: Json) => Json,
  shown: (value: Json) => Json,
): Promise<Json> {
  const { schema, forms, next } = fieldTypeExamples[name]
  const pairs: Json[] = []
  for (const [index, form] of forms.entries()) {
    const { attributes } = await records.create(object, { key: `${name} ${index}`, [name]: sent(form) })
    pairs.push({ sent: shown(form), returned: shown(attributes[name]) })
  }
  const sorted = await sortedBy(object, name)
  const attributes = { key: `${name} 0`, [name]: sent(next) }
  const { status, body } = await records.post(object, attributes, { match_on: 'key' })
  expect(status, JSON.stringify(body)).toBe(200)
  return {
    name,
    schema: { xSvcType: name, ...schema },
    forms: pairs,
    operators: await operatorsOf(object, name),
    sorted: shown(sorted),
    upsert: { stored: pairs[0].returned, sent: shown(next), returned: shown(body.data.attributes[name]) },
  }
}
