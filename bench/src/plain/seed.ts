import { openAdmin, readConfig } from '@kontor/server/admin'
import { companyAttributes, type Attributes } from '../attributes.ts'
import { adminEmail, workspace } from '../seed.ts'
import { rowOf, type PersonInput } from './answers.ts'
import { score, tenFields } from './persons.ts'
import { createPostgresTables, postgresStore } from './store-postgres.ts'
import { createSqliteTables, sqliteStore } from './store-sqlite.ts'
import type { CompanyRow, PlainStore } from './store.ts'

const perRequest = 1000

/** Sends to the server, and gives what it answers. */
type Call = (method: string, path: string, body: object) => Promise<unknown>

export const callOf =
  (baseUrl: string, headers: Readonly<Record<string, string>>): Call =>
  async (method, path, body) => {
    const response = await fetch(`${baseUrl}/workspaces/${workspace}${path}`, {
      method,
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path} answers ${response.status}: ${text.slice(0, 500)}`)
    return text === '' ? undefined : (JSON.parse(text) as unknown)
  }

/** A workspace without a record, in a new database. */
export async function createWorkspace(url: string): Promise<void> {
  const { admin, close } = await openAdmin(readConfig({ DATABASE_URL: url }))
  try {
    const name = { slug: workspace, name: 'Bench', adminEmail, adminName: 'Admin' }
    await admin.createWorkspace(name)
  } finally {
    await close()
  }
}

/** The tables of the plain server in a new database. */
export async function createStore(url: string, isTuned: boolean): Promise<PlainStore> {
  if (!url.startsWith('sqlite:')) {
    await createPostgresTables(url, isTuned)
    return postgresStore(url, isTuned)
  }
  const path = url.slice('sqlite:'.length)
  createSqliteTables(path, isTuned)
  return sqliteStore(path, isTuned)
}

/** Where what our server has created goes too, by the same ids and times. */
type Filling = {
  readonly call: Call
  readonly stores: readonly PlainStore[]
  readonly say: (text: string) => void
}

type Created<Data> = { readonly id: string; readonly attributes: Data & { readonly _created_at: string } }

/** Creates through the API, as a user would, in the order of the numbers; the ids. */
async function createAll<Data>(
  { call, say }: Filling,
  object: string,
  count: number,
  attributesOf: (number: number) => Attributes,
  copy: (created: readonly Created<Data>[]) => Promise<unknown>,
): Promise<string[]> {
  const ids: string[] = []
  while (ids.length < count) {
    const size = Math.min(perRequest, count - ids.length)
    const data = Array.from({ length: size }, (_, index) => ({
      type: object,
      attributes: attributesOf(ids.length + index),
    }))
    const { data: created } = (await call('POST', `/objects/${object}/records/bulk`, { data })) as {
      readonly data: readonly Created<Data>[]
    }
    await copy(created)
    ids.push(...created.map(({ id }) => id))
    if (ids.length % 10_000 === 0 || ids.length === count) say(`creating: ${ids.length} of ${count} ${object} records`)
  }
  return ids
}

type CompanyInput = Pick<CompanyRow, 'name' | 'industry' | 'location'> & {
  readonly domains: { readonly items: readonly string[] }
}

const companyOf = ({ id, attributes }: Created<CompanyInput>): CompanyRow => {
  const now = new Date(attributes._created_at)
  const [domain] = attributes.domains.items
  return { ...attributes, id, domain: domain as string, created_at: now, updated_at: now }
}

export const createCompanies = (filling: Filling, count: number): Promise<string[]> =>
  createAll<CompanyInput>(filling, 'company', count, companyAttributes, (created) =>
    Promise.all(filling.stores.map((store) => store.createCompanies(created.map(companyOf)))),
  )

/** With a custom field, which the object has nine others beside. */
export async function createPersons(filling: Filling, count: number, companyIds: readonly string[]): Promise<string[]> {
  await filling.call('POST', '/schemas/person/properties', {
    data: { type: 'schema-properties', attributes: { score } },
  })
  const personOf = (number: number) => tenFields(number, count, companyIds[(number * 7) % companyIds.length] as string)
  return createAll<PersonInput>(filling, 'person', count, personOf, (created) => {
    const rows = created.map(({ id, attributes }) => rowOf(attributes, new Date(attributes._created_at), id))
    return Promise.all(filling.stores.map((store) => store.create(rows)))
  })
}
