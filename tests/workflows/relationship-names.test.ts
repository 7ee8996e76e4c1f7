import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'
import { changesOf, schemasOf } from '../harness/schemas.ts'
import { chain, workflowsOf } from '../harness/workflows.ts'

const app = await startApp()
const records = recordsOf(app)
const { create, runs, until, path } = workflowsOf(app)
const { make } = schemasOf(app)
const { edit } = changesOf(app)

const name = { type: 'string', xSvcPrimary: true }

const attributesOf = async (id: string): Promise<Json> => (await app.api.get(`${path}/${id}`)).body.data.attributes

const condition = (field: string, operator: string, value: unknown): Json => ({ field, condition: { operator, value } })

const to = (kind: string, entity: string, field: string) => ({ xSvcRelationship: { kind, entity, field } })

/** Compares the names of relationships wherever an event of links can be looked at. */
function linksOf(object: string, { home, guests }: { home: string; guests: string }): Json {
  const said = 'state.event.data.relationship'
  const heard = { plugin_id: 'on:svc:change-relationship', input: { object } }
  const branch = { field: 'wait.state.output.event.data.relationship', op: 'Is not', value: guests }
  return {
    ...chain(
      {
        ...heard,
        filters: [condition(said, 'One of', [home, guests, `{{trigger.state.event.object.data.name}}`, 'Company'])],
      },
      { key: 'wait', plugin_id: 'general:wait:event', input: heard },
      {
        key: 'fork',
        plugin_id: 'general:branch',
        input: {
          branches: [
            { key: 'x', next: 'last', filter: { or: [branch, { field: said, op: 'Contains', value: 'home' }] } },
          ],
        },
      },
      { key: 'last', plugin_id: 'general:delay:for', input: { amount: 1, unit: 'days' } },
    ),
    exits: { left: { ...heard, filters: [condition(said, 'eq', guests)] } },
  }
}

test('a graph follows the names of relationships that it compares with what an event of links says', async () => {
  const guest = await make({ name })
  const object = await make({
    name,
    home: to('many-to-one', 'company', `h${guest}`),
    guests: to('many-to-many', guest, 'hosts'),
  })
  const { id } = await create({ name: 'Links', enabled: true, ...linksOf(object, { home: 'home', guests: 'guests' }) })
  await edit(object, (properties) => {
    const { home, guests, ...rest } = properties
    for (const key of Object.keys(properties)) delete properties[key]
    Object.assign(properties, rest, {
      guests: { ...home, xSvcPrevName: 'home' },
      visitors: { ...guests, xSvcPrevName: 'guests' },
    })
  })
  const renamed = linksOf(object, { home: 'guests', guests: 'visitors' })
  expect(await attributesOf(id)).toMatchObject({ enabled: true, version: 2, ...renamed })
  const company = await records.create('company', {})
  const record = await records.create(object, { name: 'Ours', guests: company.id })
  const [begun] = await until(async () => {
    const found = await runs(id)
    return found.length > 0 && found
  })
  expect(begun!.attributes.record_id).toBe(record.id)
  await edit(object, (properties) => delete properties.visitors)
  expect(await attributesOf(id)).toMatchObject({ enabled: false, stopped_reason: 'schema_changed' })
})
