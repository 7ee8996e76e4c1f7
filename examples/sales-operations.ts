/**
 * A morning in sales operations, as a program: find the companies that matter, mend them, say so, merge a duplicate,
 * undo a deletion, prove who did what, and follow along while a colleague imports. Each step fails when the answer is
 * not the expected one.
 *
 * DATABASE_URL runs the same on Postgres.
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  activities,
  type ActivityResource,
  comments,
  createRestClient,
  type Filter,
  KontorError,
  type RecordResource,
  records,
  resources,
  type RestClient,
} from '@kontor/client'
import { companyColumns, importFile, peopleColumns } from './files.ts'
import { createPersonalKey, kontor, kontorData, type Server } from './shell.ts'
import { inNewFolder, withServer } from './stand.ts'
import { step, tell } from './tell.ts'

const workspace = 'sales'
const company = { workspace, object: 'company' }

type Person = { readonly id: string; readonly rest: RestClient }

/** A member of the workspace and a client that acts as them. */
async function member(server: Server, email: string): Promise<Person & { readonly key: string }> {
  const user = await kontorData<{ id: string }>(
    'user',
    'add',
    '--workspace',
    workspace,
    '--email',
    email,
    '--role',
    'member',
  )
  const key = await createPersonalKey(workspace, email)
  return { id: user.id, key, rest: createRestClient({ url: server.baseUrl, apiKey: key }) }
}

const nameOf = ({ attributes }: RecordResource): string => String(attributes['name'])

async function walk(server: Server): Promise<void> {
  step('A workspace with two people, Ada and Bob, and 503 companies')
  await kontor('workspace', 'create', '--slug', workspace, '--name', 'Sales', '--admin-email', 'boss@example.com')
  const ada = await member(server, 'ada@example.com')
  const bob = await member(server, 'bob@example.com')
  Object.assign(process.env, { KONTOR_BASE_URL: server.baseUrl, KONTOR_WORKSPACE: workspace, KONTOR_API_KEY: bob.key })
  assert.equal((await importFile('company', 'companies.csv', companyColumns, 'domains')).created, 503)

  const [hewlettPackard, keysight] = await find(ada)
  await mend(ada, [hewlettPackard, keysight])
  await discuss(bob, hewlettPackard)
  await mergeDuplicate(ada, bob, hewlettPackard)
  await undoDeletion(ada, bob, keysight)
  await proveWhoDidWhat(ada, bob, hewlettPackard, keysight)
  await followAlong(ada)
}

/** Years before 1950 as they stand in "Founded 1939 (2015), listed as HPQ" and "Founded 2014 (1939), …". */
const foundedBefore1950: Filter = {
  or: ['17', '18', '190', '191', '192', '193', '194'].flatMap((year) =>
    ['Founded ', '('].map((before) => ({ field: 'description', op: 'Contains', value: before + year })),
  ),
}

async function find({ rest }: Person): Promise<[RecordResource, RecordResource]> {
  step('Technology companies founded before 1950 with their head office in California, by name')
  const filter: Filter = {
    and: [
      { field: 'industry', op: 'Is', value: 'Information Technology' },
      { field: 'location', op: 'Contains', value: 'california' },
      foundedBefore1950,
    ],
  }
  const { body } = await rest.call(resources.query, {
    ...company,
    body: { filter, sort: [{ column: 'name', dir: 'ASC' }] },
  })
  assert.deepEqual(body.data.map(nameOf), ['HP Inc.', 'Keysight Technologies'])
  for (const one of body.data) tell(`${nameOf(one)}: ${String(one.attributes['description'])}`)
  return body.data as [RecordResource, RecordResource]
}

async function mend({ rest }: Person, found: readonly RecordResource[]): Promise<void> {
  step('Ada labels both in one request, and adds to the labels that they have')
  const data = found.map(({ id }) => ({
    type: 'company',
    id,
    attributes: { labels: { items: ['Hewlett-Packard family'] } },
  }))
  const { body } = await rest.call(records.updateMany, {
    ...company,
    body: { data, meta: { labels: { collection: 'append' } } },
  })
  const labels = body.data.map(({ attributes }) => (attributes['labels'] as { items: string[] }).items)
  for (const items of labels) assert.ok(items.length === 2 && items.includes('Hewlett-Packard family'))
  tell(labels.map((items) => items.join(' + ')).join('; '))
}

async function discuss({ rest }: Person, { id }: RecordResource): Promise<void> {
  step('Bob comments')
  const message = [{ type: 'paragraph', content: [{ type: 'text', text: 'Both come from the garage of 1939.' }] }]
  const { status, body } = await rest.call(comments.create, {
    workspace,
    body: { entity: 'company', owner_id: id, message },
  })
  assert.equal(status, 201)
  assert.equal(body.owner_id, id)
}

async function mergeDuplicate({ rest }: Person, bob: Person, target: RecordResource): Promise<void> {
  step('Bob enters HP a second time, with a person who works there; Ada merges the two')
  const duplicate = await bob.rest.call(records.create, {
    ...company,
    body: {
      data: {
        type: 'company',
        attributes: { name: 'Hewlett Packard', domains: { items: ['hp.example.com'] }, employee_count: 58_000 },
      },
    },
  })
  const source = duplicate.body.data.id
  const lores = await bob.rest.call(records.create, {
    workspace,
    object: 'person',
    body: {
      data: { type: 'person', attributes: { name: { first_name: 'Enrique', last_name: 'Lores' }, company_id: source } },
    },
  })
  const merged = await rest.call(records.merge, {
    ...company,
    id: target.id,
    body: { data: { type: 'company', attributes: { sources: [source] } } },
  })
  assert.equal(merged.status, 204)
  const { attributes } = (await rest.call(records.get, { ...company, id: target.id })).body.data
  assert.equal(attributes['name'], 'HP Inc.', 'what was there wins')
  assert.equal(attributes['employee_count'], 58_000, 'what was empty is filled')
  assert.deepEqual((attributes['domains'] as { items: string[] }).items, ['hpq.example.com', 'hp.example.com'])
  assert.equal(
    (await rest.call(records.get, { workspace, object: 'person', id: lores.body.data.id })).body.data.attributes[
      'company_id'
    ],
    target.id,
  )
  const gone = await refusal(rest.call(records.get, { ...company, id: source }))
  assert.deepEqual([gone.status, gone.errors[0]?.meta?.['merged_into']], [404, target.id])
  tell('one HP Inc. with both domains; the duplicate answers 404 and says where it went')
}

async function refusal(call: Promise<unknown>): Promise<KontorError> {
  const answered = await call.then(
    () => undefined,
    (error: unknown) => error,
  )
  assert.ok(answered instanceof KontorError, 'it should have been refused')
  return answered
}

async function undoDeletion({ rest }: Person, bob: Person, { id }: RecordResource): Promise<void> {
  step('Bob deletes Keysight by mistake; Ada finds it among the deleted and restores it')
  const before = (await rest.call(records.get, { ...company, id })).body.data
  await bob.rest.call(records.remove, { ...company, id })
  assert.equal((await refusal(rest.call(records.get, { ...company, id }))).status, 404)
  const { body } = await rest.call(resources.listDeleted, company)
  const found = body.data.find((one) => one.id === id)
  assert.equal(found?.attributes._deleted_by, bob.id)
  const restored = await rest.call(records.restore, { ...company, body: { items: [id] } })
  const after = restored.body.data[0] as RecordResource
  assert.deepEqual(
    { ...after.attributes, _updated_at: null, _updated_by: null },
    { ...before.attributes, _updated_at: null, _updated_by: null },
  )
  tell(`${nameOf(after)} is back, as it was`)
}

async function proveWhoDidWhat(
  ada: Person,
  bob: Person,
  hewlettPackard: RecordResource,
  keysight: RecordResource,
): Promise<void> {
  step('The activities prove who did what')
  const who = new Map([
    [ada.id, 'Ada'],
    [bob.id, 'Bob'],
  ])
  const history = async (id: string): Promise<string[]> => {
    const { body } = await ada.rest.call(activities.list, { workspace, object: 'company', record: id })
    const events = body.data.flatMap(({ attributes }: ActivityResource) => attributes.data)
    return events.toSorted((a, b) => (a._id < b._id ? -1 : 1)).map(({ type, actor }) => `${who.get(actor._id)} ${type}`)
  }
  const told = await history(hewlettPackard.id)
  for (const one of ['Bob svc:create', 'Ada svc:update', 'Bob comment:create', 'Ada svc:merge'])
    assert.ok(told.includes(one), `${one} is missing of ${told.join(', ')}`)
  assert.deepEqual(await history(keysight.id), [
    'Bob svc:create',
    'Ada svc:update',
    'Bob svc:delete',
    'Ada svc:restore',
  ])
  tell(`${nameOf(keysight)}: ${(await history(keysight.id)).join(', ')}`)
}

/** Time without any change after which the import is over and every change has been received. */
const pollMs = 50

async function followAlong({ rest }: Person): Promise<void> {
  step('Ada polls for changed people while Bob imports 537 of them, and misses none')
  const importing = { over: false }
  const imported = importFile('person', 'people.csv', peopleColumns, 'email_addresses').finally(
    () => (importing.over = true),
  )
  const seen = new Set<string>()
  let last: string | undefined
  let polls = 0
  for (let quiet = 0; quiet < 3; polls++) {
    const { over } = importing
    const changed: RecordResource[] = []
    const filter = last === undefined ? {} : { filter: { _updated_at: { 'Is after': last } } }
    for await (const page of rest.pages(resources.list, {
      workspace,
      object: 'person',
      ...filter,
      sortOrder: { column: '_updated_at', dir: 'ASC' },
      page: { limit: 100 },
    }))
      changed.push(...page.data)
    for (const { id } of changed) seen.add(id)
    last = changed.at(-1)?.attributes._updated_at ?? last
    quiet = over && changed.length === 0 ? quiet + 1 : 0
    await sleep(pollMs)
  }
  assert.equal((await imported).created, 537)
  // One more was there before: he came with the duplicate.
  assert.equal(seen.size, 538)
  tell(`${seen.size} people seen in ${polls} polls`)
}

await inNewFolder('sales-operations', {}, () => withServer(walk))
