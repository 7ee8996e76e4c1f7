import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { archiveOf, saved, withTable, type Entries } from '../harness/archives.ts'
import { commentsOf } from '../harness/comments.ts'
import { migrateAt } from '../harness/database.ts'
import { entriesOf, exportsOf, restoreAt } from '../harness/exports.ts'
import type { Json } from '../harness/http.ts'
import { createKey, type Caller } from '../harness/people.ts'
import { recordsOf } from '../harness/records.ts'
import { scratchFolder } from '../harness/scratch.ts'

const app = await startApp()
const records = recordsOf(app)
const company = await records.create('company', { name: 'Acme' })
const [ada] = await records.createMany('person', [{ name: { full_name: 'Ada' }, company_id: company.id }])
await commentsOf(app).create('person', ada!.id, `See ${company.id}`)
const bundle = await exportsOf(app).save({ kind: 'workspace' })
const entries = await entriesOf(await readFile(bundle))

/** An empty database elsewhere. */
async function elsewhere(): Promise<string> {
  const url = `sqlite:${await scratchFolder()}/kontor.db`
  await migrateAt(url)
  return url
}

const empty = await elsewhere()

const refusal = async (path: string, url = empty): Promise<string> =>
  restoreAt(url, path).then(
    ({ slug }) => `restored ${slug}`,
    (error: Error) => error.message,
  )

const refusalOf = async (changed: Entries): Promise<string> => refusal(await saved(await archiveOf(changed)))

const manifestWith = (changes: Json): Entries => ({
  ...entries,
  'manifest.json': JSON.stringify({ ...JSON.parse(entries['manifest.json']!), ...changes }),
})

/** A bundle in whose first record something is replaced. */
const recordWith = (from: RegExp, to: string): Entries => {
  const [first, ...rest] = entries['records.ndjson']!.split('\n')
  expect(first).toMatch(from)
  return withTable(entries, 'records', [first!.replace(from, to), ...rest].join('\n'))
}

test('a workspace that exists is never changed: its slug and its id are taken', async () => {
  expect(await refusal(bundle, app.databaseUrl)).toMatch(/already has a workspace "acme".* --slug, and add --new-ids/s)
  await expect(restoreAt(app.databaseUrl, bundle, { slug: 'copy' })).rejects.toThrow(
    /of the bundle, as "acme".*--new-ids/,
  )
})

test('with new ids, a copy is restored beside the original, and links in texts lead to the copy', async () => {
  const copy = await restoreAt(app.databaseUrl, bundle, { slug: 'copy', newIds: true })
  expect(copy).toMatchObject({ slug: 'copy', discrepancies: [] })
  app.forgetMemberships()
  const copies = exportsOf(app, 'admin', 'copy')
  const read = async (slug: string, path: string) => (await app.api.get(`/workspaces/${slug}/${path}`)).body.data
  const [person] = await read('copy', 'objects/person/resources')
  expect(person.id).not.toBe(ada!.id)
  const { company_id: copied, ...attributes } = person.attributes
  expect(attributes).toMatchObject({ name: ada!.attributes.name, _created_by: app.userIds.member })
  const { 'comments.ndjson': comments } = await entriesOf(await readFile(await copies.save({ kind: 'workspace' })))
  expect(comments).toContain(`See ${copied}`)
  expect(comments).toContain(`"record_id":"${person.id}"`)
  expect((await read('acme', 'objects/person/resources')).map(({ id }: Json) => id)).toEqual([ada!.id])
})

test.each([
  ['no archive', () => saved('Name,E-mail\n'), /cannot be read as a bundle/],
  ['another archive', async () => saved(await archiveOf({ 'records.ndjson': '' })), /manifest\.json is missing/],
])('%s is refused', async (_title, make, message) => expect(await refusal(await make())).toMatch(message))

test('a bundle of a newer version is refused', async () => {
  expect(await refusalOf(manifestWith({ version: 2 }))).toMatch(/has version 2 .* up to 1: restore it with a newer/)
  const tables = [
    ...JSON.parse(entries['manifest.json']!).tables,
    { name: 'quotes', rows: 0, bytes: 0, sha256: '0'.repeat(64) },
  ]
  expect(await refusalOf(manifestWith({ tables }))).toMatch(/The table "quotes" is unknown: a newer version/)
  expect(await refusalOf(recordWith(/^\{/, '{"colour":"red",'))).toMatch(/records.ndjson, line 1: The column "colour"/)
})

test('a damaged bundle is refused before anything is written', async () => {
  const stored = entries['records.ndjson']!
  const damaged = { ...entries, 'records.ndjson': stored.replace('"version":1', '"version":2') }
  expect(await refusalOf(damaged)).toMatch(/records.ndjson is damaged/)
  const { 'links.ndjson': _, ...lacking } = entries
  expect(await refusalOf(lacking)).toMatch(/not complete: links.ndjson is missing/)
  expect(await refusalOf(withTable(entries, 'records', stored.slice(0, -1)))).toMatch(/line \d+ has no end/)
})

test.each([
  ['a path out of the folder', () => hostileName('../../../tmp/evil-name.ts')],
  ['an absolute path', () => hostileName('/etc/cron.daily/an-evil-x')],
  ['a name of nothing in a bundle', () => hostileName('files/../../../../evil-nm')],
])('an entry with %s is refused', async (_title, make) =>
  expect(await refusal(await saved(await make()))).toMatch(
    /invalid relative path|absolute path|does not belong in a bundle/,
  ),
)

/** A bundle with an entry of another name, as no library would write it. */
async function hostileName(name: string): Promise<Buffer> {
  const plain = 'an-entry-of-an-archive.ts'
  expect(name).toHaveLength(plain.length)
  const archive = await archiveOf({ ...entries, [plain]: 'evil' })
  return Buffer.from(archive.toString('latin1').replaceAll(plain, name), 'latin1')
}

test.each([
  ['a text for a number', /"version":1/, '"version":"1"', /"version" must be a whole number/],
  ['a number beyond all numbers', /"created_at":\d+/, '"created_at":1e400', /"created_at" must be milliseconds/],
  ['a time that is none', /"created_at":\d+/, '"created_at":9e15', /"created_at" must be milliseconds/],
  ['no id', /"id":"[^"]+"/, '"id":"../x"', /"id" must be an id/],
  ['an infinite number in a value', /"data":\{/, '"data":{"x":1e999,', /"data" has texts or numbers/],
  ['a text that Postgres does not store', /"data":\{/, '"data":{"x":"\\u0000",', /"data" has texts or numbers/],
  ['depth', /"data":\{/, `"data":{"x":${'['.repeat(100_000)}${']'.repeat(100_000)},`, /nested too deeply/],
  ['no JSON', /^\{/, '[{', /line 1: It is not a JSON object/],
])('a record with %s is refused', async (_title, from, to, message) =>
  expect(await refusalOf(recordWith(from, to))).toMatch(message),
)

const { workspace, members } = JSON.parse(entries['manifest.json']!)

test.each([
  ['a slug that no workspace may have', { workspace: { ...workspace, slug: 'acme/../other' } }, /workspace\/slug: /],
  ['a slug of an unfinished restore', { workspace: { ...workspace, slug: 'restoring-acme' } }, /must not begin with/],
  ['a setting that none has', { workspace: { ...workspace, settings: { time_zone: 'Mars/Base' } } }, /time_zone: /],
  ['a secret', { workspace: { ...workspace, settings: { chat_webhook_url: 'https://a.example' } } }, /chat_webhook/],
  [
    'the id of nobody',
    { members: [{ ...members[0], id: members[0].id.toUpperCase() }] },
    /members\/0\/id: must be an id/,
  ],
  ['an address of two members', { members: [members[0], { ...members[1], email: members[0].email }] }, /of their own/],
  ['another role', { members: [{ ...members[0], role: 'operator' }] }, /members\/0\/role/],
])('a manifest with %s is refused', async (_title, changes, message) =>
  expect(await refusalOf(manifestWith(changes))).toMatch(message),
)

test('a schema that the API would refuse is refused', async () => {
  const [first, ...rest] = entries['schemas.ndjson']!.split('\n')
  const schemaWith = (change: (row: Json) => void): Entries => {
    const row = JSON.parse(first!)
    change(row)
    return withTable(entries, 'schemas', [JSON.stringify(row), ...rest].join('\n'))
  }
  const wrong = schemaWith(({ document }) => (document.properties.name = { xSvcType: 'program' }))
  expect(await refusalOf(wrong)).toMatch(/schemas.ndjson, line 1: The schema is wrong at \/document\/properties\/name/)
  const keys = { object: 'company', fields: { name: { key: 7 } } }
  expect(await refusalOf(schemaWith((row) => (row.keys = keys)))).toMatch(/The schema is wrong at \/keys/)
})

test('an archive whose entries share their bytes is refused', async () => {
  const shared = 'a'.repeat(5_000)
  const archive = await archiveOf({ ...entries, 'a.ndjson': shared })
  const name = Buffer.from('a.ndjson')
  // The central directory says that the entry has all bytes of the archive.
  const entry = archive.lastIndexOf(name) - 46
  archive.writeUInt32LE(archive.length, entry + 20)
  expect(await refusal(await saved(archive))).toMatch(/overlap/)
})

test('a workspace that people use is none that an earlier restore has left, whatever it is called', async () => {
  const url = await elsewhere()
  await restoreAt(url, bundle, { slug: 'restoring-acme' })
  await expect(restoreAt(url, bundle)).rejects.toThrow(/already has the workspace of the bundle, as "restoring-acme"/)
})

test('of two restores at the same time one stops, and the other is complete', async () => {
  const url = await elsewhere()
  const folder = await scratchFolder()
  const ends = await Promise.allSettled([restoreAt(url, bundle, { folder }), restoreAt(url, bundle, { folder })])
  const restored = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []))
  expect(restored).toMatchObject([{ slug: 'acme', rows: { records: 5, comments: 1 }, discrepancies: [] }])
  expect(await refusal(bundle, url)).toMatch(/already has a workspace "acme"/)
})

test('a file is for its creator, as long as they are an admin, and not with a credential that sees less', async () => {
  const { id, as } = await app.addMember('admin', 'exporter')
  const { create, ended } = exportsOf(app, as)
  const one = (await create({ kind: 'workspace' })).body.data.id
  expect(await ended(one)).toMatchObject({ state: 'completed' })
  const { key } = await createKey(app.api.post, as, { scopes: ['records:read'] })
  const file = `/workspaces/acme/exports/${one}/download`
  const status = async (caller: Caller) => (await app.api.get(file, { as: caller })).status
  expect([await status(as), await status({ authorization: `api-key ${key}` })]).toEqual([200, 404])
  await app.api.patch(`/workspaces/acme/users/${id}`, { body: { role: 'viewer' } })
  expect(await status(as)).toBe(404)
})
