import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createObjectsClient } from '@kontor/client'
import { afterAll, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { scriptNames } from '../harness/globals/script.ts'
import { changesOf, schemasOf } from '../harness/schemas.ts'
import { scratchFolder } from '../harness/scratch.ts'
import { failed, kontor } from './kontor.ts'

const app = await startApp()
const { baseUrl, credentials } = app
const { post } = schemasOf(app)
const { edit } = changesOf(app)
const connection = { url: baseUrl, apiKey: credentials.keys.adminKey! }
const env = { KONTOR_BASE_URL: baseUrl, KONTOR_API_KEY: connection.apiKey, KONTOR_WORKSPACE: 'acme' }
const types = (...args: string[]) => kontor(['types', ...args], env)

const tests = fileURLToPath(new URL('..', import.meta.url))
const cache = join(tests, 'node_modules/.cache')
await mkdir(cache, { recursive: true })
/** Where imports find the client. */
const project = await mkdtemp(join(cache, 'types-'))
afterAll(() => rm(project, { recursive: true, force: true }))

const band = {
  name: { type: 'string', xSvcPrimary: true, title: 'Ends */ here', description: 'first\u2028second' },
  style: { xSvcType: 'select', enum: ['Jazz', "Rock 'n' Roll", 'a "b" \\ \u2028'] },
  tags: { xSvcType: 'multi_select', enum: ['x', 'y'] },
  rating: { xSvcType: 'rating', deprecated: true },
  place: { xSvcType: 'location' },
  story: { xSvcType: 'rich_text' },
  anything: { xSvcType: 'json' },
  numbers: { type: 'array', items: { type: ['number', 'string'] } },
  internal: { type: 'string', readOnly: true },
  parent: { xSvcRelationship: { kind: 'many-to-one', entity: 'c_band', field: 'offspring' } },
  offspring: { xSvcRelationship: { kind: 'one-to-many', entity: 'c_band', field: 'parent' } },
}
expect((await post({ name: 'Band', plural: 'Bands', properties: band })).status).toBe(201)
// Two names that only a digit sets apart.
for (const name of ['Part 1', 'Part1']) expect((await post({ name, plural: name })).status).toBe(201)
// Names that would shadow globals, were they types by themselves.
for (const name of ['Map', 'O S E algorithm']) expect((await post({ name, plural: name })).status).toBe(201)

const use = `
import { createKontorClient, createObjectsClient } from '@kontor/client'
import type { CBandAttributes, CBandInput, CPart1Record, CPartX1Record, ObjectName, Objects } from './kontor-types.ts'

const client = createObjectsClient<Objects>({ url: 'http://kontor.test/v1', apiKey: 'pk' }, 'acme')
const trpc = createKontorClient<Objects>({ url: 'http://kontor.test/v1', apiKey: 'pk' })
const bands = { workspace: 'acme', object: 'c_band' } as const
export const names: ObjectName[] = ['c_band', 'person', 'c_part_1', 'c_part1']
export const parts: ['c_part1' | undefined, 'c_part_1' | undefined] = [
  undefined as CPart1Record['type'] | undefined,
  undefined as CPartX1Record['type'] | undefined,
]

export async function compiles() {
  const { data, included } = await client.list('c_band', {
    sortOrder: { column: 'rating', dir: 'DESC' },
    include: ['offspring.parent'],
    filter: {
      style: { in: ['Jazz'] },
      tags: { contains: 'x' },
      rating: { 'Greater than': 2, lte: 5 },
      name: { contains: 'x' },
      'parent.name': 'x',
      'offspring.parent.style': { ne: 'Jazz' },
      'parent.parent.parent.name': 'x',
    },
    page: { limit: 5 },
  })
  const style: CBandAttributes['style'] | undefined = data[0]?.attributes.style
  const jazz: 'Jazz' | "Rock 'n' Roll" | 'a "b" \\\\ \\u2028' | null | undefined = style
  const parent: string | undefined = data[0]?.relationships.parent.data?.attributes?.name ?? undefined
  const count: number | undefined = data[0]?.relationships.offspring?.meta.count
  const people = included.filter((one) => one.type === 'person').map(({ attributes }) => attributes.name?.last_name)
  const made = await client.create(
    'c_band',
    {
      name: 'x',
      tags: { items: ['x'] },
      numbers: [1, 'a'],
      place: { city: 'Bern' },
      anything: [1],
      story: { text: [{ type: 'paragraph' }] },
    },
    { parent: { data: { type: 'c_band', id: '1' } } },
  )
  const changed = await client.update('c_band', made.data.id, { rating: null })
  const related = await client.related('c_band', changed.id, 'offspring', {
    sortOrder: { column: 'name', dir: 'ASC' },
    include: ['offspring.parent'],
  })
  const story: string | undefined = related.data[0]?.attributes.story?.text[0]?.type
  await client.remove('c_band', changed.id)
  const page = await trpc.resources.list.query({
    ...bands,
    filter: { rating: { 'One of': [1, 2] } },
    include: ['parent'],
  })
  const rating: number | null | undefined = page.data[0]?.attributes.rating
  const again = await trpc.records.update.mutate({
    ...bands,
    id: changed.id,
    body: { data: { type: 'c_band', attributes: { rating: 5 } } },
  })
  const tags: ('x' | 'y')[] | undefined = again.data.attributes.tags?.items
  const offspring = await trpc.relationships.list.query({ ...bands, id: changed.id, relationship: 'offspring' })
  const names: (string | null)[] = offspring.data.map(({ attributes }) => attributes.name)
  const listed = await trpc.lists.listRecords.query({
    ...bands,
    list: 'x',
    fields: { c_band: ['rating', 'parent'], person: ['name'] },
  })
  const listedRating: number | null | undefined = listed.data[0]?.attributes.rating
  const sparse = await client.list('c_band', {
    fields: { c_band: ['rating', 'parent'], person: ['job_title'] },
    include: ['parent', 'offspring'],
  })
  const few: { rating: number | null; parent: string | null; _id: string } | undefined = sparse.data[0]?.attributes
  const embedded: number | null | undefined = sparse.data[0]?.relationships.parent.data?.attributes?.rating
  const several = sparse.data[0]?.relationships.offspring?.data.map(({ attributes }) => attributes?.rating)
  const titles = sparse.included.map((one) => (one.type === 'person' ? one.attributes.job_title : one.id))
  const single = await client.get('c_band', made.data.id, { fields: { c_band: ['rating'] } })
  const whole = await client.get('c_band', made.data.id, ['parent'])
  const both: (string | number | null)[] = [single.data.attributes.rating, whole.data.attributes.name]
  const { data: lists } = await trpc.lists.list.query({ workspace: 'acme' })
  const users = await trpc.users.list.query({ workspace: 'acme' })
  const narrowed = { few, embedded, several, titles, both }
  return { rating, listedRating, lists, tags, names, users, jazz, parent, count, people, story, narrowed }
}

export async function doesNotCompile(input: CBandInput) {
  // @ts-expect-error there is no such object
  await client.list('c_bands')
  // @ts-expect-error there is no such column
  await client.list('c_band', { sortOrder: { column: 'ratings', dir: 'ASC' } })
  // @ts-expect-error there is no such relationship
  await client.list('c_band', { include: ['parents'] })
  // @ts-expect-error this is no option
  await client.create('c_band', { style: 'Pop' })
  // @ts-expect-error this is not written
  await client.create('c_band', { internal: 'x' })
  // @ts-expect-error users are not created as records
  await client.create('user', { name: 'x' })
  // @ts-expect-error this relationship is that of another object
  await client.related('person', 'x', 'offspring')
  // @ts-expect-error an include begins with the relationship
  await client.related('c_band', 'x', 'offspring', { include: ['parent'] })
  // @ts-expect-error numbers have no such operator
  await client.list('c_band', { filter: { rating: { Contains: 1 } } })
  // @ts-expect-error this is no option
  await client.list('c_band', { filter: { style: 'Pop' } })
  // @ts-expect-error one of these is no option
  await client.list('c_band', { filter: { style: { 'One of': ['Jazz', 'Pop'] } } })
  // @ts-expect-error numbers are not compared with texts
  await client.list('c_band', { filter: { rating: 'high' } })
  // @ts-expect-error there is no such column at the end of the relationship
  await client.list('c_band', { filter: { 'parent.names': 'x' } })
  // @ts-expect-error there is no such relationship
  await client.list('c_band', { filter: { 'parents.name': 'x' } })
  // @ts-expect-error this is no option of the related record
  await client.list('c_band', { filter: { 'parent.parent.style': 'Pop' } })
  // @ts-expect-error there is no such object
  await trpc.resources.list.query({ workspace: 'acme', object: 'c_bands' })
  // @ts-expect-error there is no such attribute
  await trpc.lists.listRecords.query({ ...bands, list: 'x', fields: { c_band: ['ratings'] } })
  // @ts-expect-error there is no such object
  await client.list('c_band', { fields: { c_bands: ['name'] } })
  // @ts-expect-error there is no such object beside the other
  await client.list('c_band', { fields: { c_band: ['name'], c_bands: ['name'] } })
  // @ts-expect-error the records of the other end are included, and are no attribute
  await client.list('c_band', { fields: { c_band: ['offspring'] } })
  const { data, included } = await client.list('c_band', { fields: { c_band: ['name'], person: ['job_title'] } })
  // @ts-expect-error this was not requested
  void data[0]?.attributes.rating
  // @ts-expect-error this is absent unless it is included
  void data[0]?.relationships.parent.data
  // @ts-expect-error this was not requested of the embedded record
  void data[0]?.relationships.parent?.data?.attributes?.rating
  // @ts-expect-error this was not requested of people
  void included.map((one) => one.type === 'person' && one.attributes.name)
  // @ts-expect-error this was not requested
  void (await client.get('c_band', 'x', { fields: { c_band: ['name'] } })).data.attributes.rating
  // @ts-expect-error this was not requested
  void (await trpc.records.get.query({ ...bands, id: 'x', fields: { c_band: ['name'] } })).data.attributes.rating
  const attributes = { name: 'x', style: 'Pop' as const }
  // @ts-expect-error this is no option
  await trpc.records.create.mutate({ ...bands, body: { data: { type: 'c_band', attributes } } })
  // @ts-expect-error the record is of another object
  await trpc.records.update.mutate({ ...bands, id: 'x', body: { data: { type: 'person', attributes: {} } } })
  return input
}
`

test('what it writes compiles under strict, is the same each time, and types a client', async () => {
  const out = join(project, 'kontor-types.ts')
  const first = await types('--out', out)
  expect(first).toMatchObject({ code: 0, stdout: '', stderr: `Wrote the types of 12 objects to ${out}.\n` })
  const written = await readFile(out, 'utf8')
  const again = await types()
  expect(again).toMatchObject({ code: 0, stderr: '' })
  expect(again.stdout).toBe(written)
  const declared = [...written.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name]) => name ?? '')
  expect(declared.filter((name) => scriptNames.has(name))).toEqual([])
  await writeFile(join(project, 'use.ts'), use)
  const flags = [
    '--noEmit',
    '--strict',
    '--noUncheckedIndexedAccess',
    '--exactOptionalPropertyTypes',
    '--target',
    'es2024',
    '--module',
    'nodenext',
    '--allowImportingTsExtensions',
    '--skipLibCheck',
    '--types',
    'node',
  ]
  const { status, stdout } = spawnSync(
    join(tests, 'node_modules/.bin/tsc'),
    ['--singleThreaded', '--ignoreConfig', ...flags, join(project, 'use.ts')],
    { cwd: tests, encoding: 'utf8' },
  )
  expect({ status, stdout }).toEqual({ status: 0, stdout: '' })
}, 60_000)

test('a change of the schema is a change of the text, and only of what it concerns', async () => {
  const before = (await types()).stdout.split('\n')
  await edit('c_band', (properties) => void (properties.founded = { xSvcType: 'date' }))
  const after = (await types()).stdout.split('\n')
  const fresh = after.filter((line) => !before.includes(line))
  expect(fresh).toEqual(expect.arrayContaining(['  founded: string | null', '  founded?: string | null']))
  expect(fresh.every((line) => line.includes('founded'))).toBe(true)
})

test('the client does what its types say', async () => {
  type Objects = {
    person: {
      record: { id: string; type: 'person'; attributes: { job_title: string | null } }
      input: { job_title?: string }
      change: { job_title?: string | null }
      links: { deals?: { data: { type: 'deal'; id: string }[] } }
      column: 'job_title'
      filter: { job_title?: { 'Is not empty'?: boolean } }
      matchOn: never
      include: 'deals'
      related: { deals: 'deal' }
    }
    deal: {
      record: { id: string; type: 'deal'; attributes: { name: string | null } }
      input: { name?: string }
      change: { name?: string | null }
      links: {}
      column: 'name'
      filter: { name?: string }
      matchOn: never
      include: 'people'
      related: { people: 'person' }
    }
  }
  const client = createObjectsClient<Objects>(connection, 'acme')
  const deal = await client.create('deal', { name: 'Typed' })
  const made = await client.create(
    'person',
    { job_title: 'Typist' },
    { deals: { data: [{ type: 'deal', id: deal.data.id }] } },
  )
  expect(
    (await client.get('person', made.data.id, ['deals'])).included.map(({ attributes }) => attributes),
  ).toMatchObject([{ name: 'Typed' }])
  expect((await client.related('person', made.data.id, 'deals')).data.map(({ attributes }) => attributes.name)).toEqual(
    ['Typed'],
  )
  expect((await client.update('person', made.data.id, { job_title: null })).attributes.job_title).toBeNull()
  for (const title of ['a', 'b', 'c']) await client.create('person', { job_title: title })
  const found: (string | null)[] = []
  for await (const { data } of client.pages('person', {
    filter: { job_title: { 'Is not empty': true } },
    sortOrder: { column: 'job_title', dir: 'DESC' },
    page: { limit: 2 },
  }))
    found.push(...data.map(({ attributes }) => attributes.job_title))
  expect(found).toEqual(['c', 'b', 'a'])
  await client.remove('person', made.data.id)
  await expect(client.get('person', made.data.id)).rejects.toMatchObject({ status: 404 })
})

test('mistakes are told', async () => {
  expect(await kontor(['types'], { ...env, KONTOR_WORKSPACE: '' })).toMatchObject(failed(2, /workspace is missing/))
  expect(await kontor(['types', '--workspace', 'nowhere'], env)).toMatchObject(failed(1, /no such workspace/))
  expect(await kontor(['types'], { ...env, KONTOR_API_KEY: 'pk_x' })).toMatchObject(failed(1, /Check --api-key/))
  expect(await types('--out', join(await scratchFolder(), 'none', 'types.ts'))).toMatchObject(
    failed(1, /does not exist|folder/),
  )
  expect(await kontor(['types'], { ...env, KONTOR_BASE_URL: 'http://127.0.0.1:1/v1' })).toMatchObject(
    failed(1, /Is Kontor running/),
  )
})

test('the types of pulled files are those of the workspace', async () => {
  const dir = await scratchFolder()
  expect(await kontor(['schema', 'pull', '--dir', dir, '--only', 'objects'], env)).toMatchObject({ code: 0 })
  const [ofFiles, ofWorkspace] = [await kontor(['types', '--dir', dir]), await types()]
  expect(ofFiles.stdout.split('\n').slice(1)).toEqual(ofWorkspace.stdout.split('\n').slice(1))
})
