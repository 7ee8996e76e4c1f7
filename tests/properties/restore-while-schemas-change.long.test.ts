import { beforeAll, expect, inject, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { countWaiting, holdTable } from '../harness/database.ts'
import { holdRecord } from '../harness/held-record.ts'
import type { Answer, Json } from '../harness/http.ts'
import { recordsOf, recordsPath } from '../harness/records.ts'
import { schemasPath } from '../harness/schemas.ts'

// Two apps in one process, on one database. Right after a change of the schemas every request has to read them anew,
// and many do so at once.
const app = await startApp()
const beside = await startApp({ beside: app })
const nodes = [app, beside] as const
const { create, get, patch, list } = recordsOf(app)

const range = (length: number): number[] => Array.from({ length }, (_, index) => index)
const node = (index: number) => nodes[index % 2]!
const related = async (id: string, field: string): Promise<string[]> =>
  (await app.api.get(`${recordsPath('person')}/${id}/relationships/${field}`, { as: 'member' })).body.data.map(
    (one: Json) => one.id,
  )
const attribute = async (id: string, field: string): Promise<string | null> =>
  (await get('person', id)).body.data.attributes[field]
const addRelationships = (object: string, fields: Json, index = 0): Promise<Answer> =>
  node(index).api.post(`${schemasPath}/${object}/relationships`, {
    body: { data: { type: 'relationship', attributes: { [object]: fields } } },
  })

let changes = 0
const addField = (index: number): Promise<Answer> =>
  node(index).api.post(`${schemasPath}/deal/properties`, {
    body: { data: { type: 'schema-properties', attributes: { [`field_${changes++}`]: { type: 'string' } } } },
  })
const addRelationship = (index: number): Promise<Answer> =>
  addRelationships(
    'company',
    { [`to_${changes++}`]: { xSvcRelationship: { kind: 'many-to-many', entity: 'deal', field: `from_${changes}` } } },
    index,
  )

beforeAll(async () => {
  for (const [name, kind] of [
    ['mates', 'many-to-many'],
    ['twin', 'one-to-one'],
  ] as const) {
    expect(
      (
        await addRelationships('person', {
          [name]: { xSvcRelationship: { kind, entity: 'person', field: `${name}_of` } },
        })
      ).status,
    ).toBe(202)
  }
})

/** A record that goes and comes back, and whether its link is there. */
type Linked = { readonly object: string; readonly id: string; readonly isThere: () => Promise<boolean> }

const links: Readonly<Record<string, () => Promise<Linked>>> = {
  async 'its own reference'() {
    const company = await create('company', {})
    const { id } = await create('person', { company_id: company.id })
    return { object: 'person', id, isThere: async () => (await attribute(id, 'company_id')) === company.id }
  },
  async 'a reference to it'() {
    const { id } = await create('company', {})
    const person = await create('person', { company_id: id })
    return { object: 'company', id, isThere: async () => (await attribute(person.id, 'company_id')) === id }
  },
  async 'a link between many and many'() {
    const [{ id }, mate] = [await create('person', {}), await create('person', {})]
    await app.api.patch(`${recordsPath('person')}/${id}/relationships/mates`, {
      as: 'member',
      body: { data: [{ type: 'person', id: mate.id }] },
    })
    return { object: 'person', id, isThere: async () => (await related(mate.id, 'mates_of')).includes(id) }
  },
  async 'a link of one to one'() {
    const [{ id }, twin] = [await create('person', {}), await create('person', {})]
    await patch('person', id, { twin: twin.id })
    return {
      object: 'person',
      id,
      isThere: async () => (await attribute(id, 'twin')) === twin.id && (await attribute(twin.id, 'twin_of')) === id,
    }
  },
}

async function makeDeleted(): Promise<(Linked & { readonly what: string })[]> {
  const all = []
  for (const [what, make] of Object.entries(links)) all.push({ what, ...(await make()) })
  for (const { object, id, isThere } of all) {
    expect(await isThere()).toBe(true)
    await recordsOf(app).remove(object, [id])
  }
  return all
}

async function lostOf(all: Awaited<ReturnType<typeof makeDeleted>>): Promise<string[]> {
  const lost = []
  for (const { what, isThere } of all) if (!(await isThere())) lost.push(what)
  return lost
}

test.for([
  ['fields', addField],
  ['relationships', addRelationship],
] as const)(
  'a restored record has all of its links, while %s are added elsewhere',
  { timeout: 120_000 },
  async ([, change]) => {
    const lost = []
    for (const round of range(8)) {
      const all = await makeDeleted()
      expect((await change(round)).status).toBe(202)
      const restored = all.map(({ object, id }, index) => recordsOf(node(round + (index % 3))).restore(object, [id]))
      const others = range(12).map((index) => recordsOf(node(index)).list('company', { 'page[limit]': 1 }))
      for (const { status } of await Promise.all([...restored, ...others, change(round + 1)]))
        expect([200, 202]).toContain(status)
      lost.push(...(await lostOf(all)).map((what) => `round ${round}: ${what}`))
    }
    expect(lost).toEqual([])
    expect(await app.linkFaults()).toEqual([])
  },
)

// SQLite has one writer: no other request changes schemas while a merge waits.
test.runIf(inject('database') === 'postgres')(
  'a merge that has waited for a source takes along what refers to it by a relationship that is newer than ' +
    'its beginning',
  async () => {
    const [into, source] = [await create('company', {}), await create('company', {})]
    const person = await create('person', {})
    const release = await holdRecord(app.databaseUrl, source.id)
    const merging = recordsOf(app).merge('company', into.id, [source.id])
    await expect.poll(() => countWaiting(app.databaseUrl), { timeout: 10_000 }).toBe(1)
    const field = `newer_${changes++}`
    expect(
      (
        await addRelationships('person', {
          [field]: { xSvcRelationship: { kind: 'many-to-one', entity: 'company', field: `back_${field}` } },
        })
      ).status,
    ).toBe(202)
    expect((await patch('person', person.id, { [field]: source.id })).status).toBe(200)
    await release()
    expect((await merging).status).toBe(204)
    expect(await attribute(person.id, field)).toBe(into.id)
  },
)

test.runIf(inject('database') === 'postgres')(
  'a restore goes on with the schemas that it began with, though others have read the same ones after it',
  async () => {
    const all = await makeDeleted()
    expect((await addField(0)).status).toBe(202)
    // No request has read the new ones yet, and now all wait to.
    const release = await holdTable(app.databaseUrl, 'schema_version')
    const restored = all.map(({ object, id }) => recordsOf(app).restore(object, [id]))
    const others = range(4).map(() => list('company', { 'page[limit]': 1 }))
    // The others share connections, and wait behind one another there.
    await expect.poll(() => countWaiting(app.databaseUrl), { timeout: 10_000 }).toBeGreaterThan(restored.length)
    await release()
    for (const { status } of await Promise.all([...restored, ...others])) expect(status).toBe(200)
    expect(await lostOf(all)).toEqual([])
  },
)
