import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { fieldTypes } from '@kontor/contract'
import { startApp } from '../harness/app.ts'
import { attachmentsOf } from '../harness/attachments.ts'
import { commentsOf } from '../harness/comments.ts'
import { migrateAt, migratedDatabase } from '../harness/database.ts'
import { entriesOf, exportsOf, restoreAt } from '../harness/exports.ts'
import { fieldValues } from '../harness/field-values.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'
import { schemasOf } from '../harness/schemas.ts'
import { scratchFolder } from '../harness/scratch.ts'
import { webhooksOf } from '../harness/webhooks.ts'
import { workflowsOf } from '../harness/workflows.ts'
import { listsOf } from '../lists/lists.ts'

const scratch = await migratedDatabase()
afterAll(scratch.remove)
const app = await startApp()
const records = recordsOf(app)
const fields = fieldValues([app.userIds.member, app.userIds.admin])
const types = new Set<string>(fieldTypes)

/** Fills acme with something of everything that a bundle has. */
async function fill(): Promise<void> {
  const company = await records.create('company', { name: 'Acme' })
  const properties = Object.entries(fields).map(([name, { schema }]) => [
    `v_${name.replaceAll(' ', '_')}`,
    types.has(name) ? { xSvcType: name, ...schema } : schema,
  ])
  const object = await schemasOf(app).make({
    code: { xSvcType: 'text', xSvcPrimary: true, xSvcUnique: true },
    ...Object.fromEntries(properties),
    v_reference: { xSvcRelationship: { kind: 'many-to-one', entity: 'company', field: 'things' } },
  })
  const longest = Math.max(...Object.values(fields).map(({ values }) => values.length))
  const rows = Array.from({ length: longest }, (_, row) => ({
    code: String(row),
    v_reference: company.id,
    ...Object.fromEntries(
      Object.entries(fields).flatMap(([name, { values }]) =>
        values.length === 0 ? [] : [[`v_${name.replaceAll(' ', '_')}`, values[row % values.length]]],
      ),
    ),
  }))
  await records.createMany(object, rows)
  const [ada, bob, gone] = await records.createMany('person', [
    { name: { full_name: 'Ada' }, email_addresses: { items: ['ada@example.com'] }, company_id: company.id },
    { name: { full_name: 'Bob' }, company_id: company.id },
    { name: { full_name: 'Gone' }, company_id: company.id },
  ])
  await records.patch('person', bob!.id, { job_title: 'Engineer' })
  await records.remove('person', [gone!.id])
  await commentsOf(app).create('person', ada!.id, `See ${bob!.id}`)
  await attachmentsOf(app).attach('person', ada!.id, 'note.txt', 'The bytes of a file')
  const list = await listsOf(app).create('person', { title: 'Key people' })
  await app.api.post(`/workspaces/acme/objects/person/lists/${list.id}/entries`, {
    as: 'member',
    body: { data: [{ type: 'person', id: ada!.id }] },
  })
  const settings = { time_zone: 'Europe/Zurich', chat_webhook_url: 'https://chat.example/SECRET' }
  for (const [key, value] of Object.entries(settings))
    await app.api.post('/workspaces/acme/settings', { body: { key, value } })
  await webhooksOf(app).create({ url: 'https://receiver.example/hook' })
  await workflowsOf(app).create({ name: 'Welcome', enabled: true, trigger: { plugin_id: 'on:manual:execution' } })
}

/** The rows of a bundle, but for what a restore changes: the manifest, and what it disables. */
async function comparable(path: string): Promise<Json> {
  const { 'manifest.json': manifest, ...entries } = await entriesOf(await readFile(path))
  const rows = Object.entries(entries).map(([name, text]) => [
    name,
    name.startsWith('files/')
      ? text
      : text
          .split('\n')
          .filter(Boolean)
          .map((line) => comparableRow(name, JSON.parse(line))),
  ])
  return { ...Object.fromEntries(rows), members: JSON.parse(manifest!).members }
}

/** Columns that a restore changes. */
const changed = new Set(['enabled', 'disabled_reason', 'disabled_at', 'stopped_reason'])

const comparableRow = (name: string, row: Json): Json => [
  name,
  Object.fromEntries(Object.entries(row).filter(([column]) => !changed.has(column))),
]

/** A second app on a database that a bundle was restored into. */
async function appAt(databaseUrl: string, filesFolder: string) {
  const { cast, keys } = app.credentials
  const credentials = { cast: { ...cast, tokens: { ...cast.tokens } }, keys: { ...keys } }
  const restored = await startApp({ beside: { databaseUrl, credentials, filesFolder } })
  await restored.advance(0)
  return restored
}

await fill()
const bundle = await exportsOf(app).save({ kind: 'workspace' })
const sqlite = `sqlite:${join(await scratchFolder(), 'restored.db')}`
await migrateAt(sqlite)
const onSqlite = await restoreAt(sqlite, bundle)
const there = await appAt(sqlite, onSqlite.folder)
const again = await exportsOf(there).save({ kind: 'workspace' })
const onFirst = await restoreAt(scratch.url, again)
const back = await appAt(scratch.url, onFirst.folder)

test('a bundle is restored on the other database, row for row, and from there on the first one', async () => {
  const original = await comparable(bundle)
  expect(await comparable(again)).toEqual(original)
  expect(await comparable(await exportsOf(back).save({ kind: 'workspace' }))).toEqual(original)
  expect([onSqlite.discrepancies, onFirst.discrepancies]).toEqual([[], []])
})

test('the restored workspace answers as the original does', async () => {
  const read = async (one: typeof app) => {
    const { body } = await recordsOf(one, 'admin').list('person', { include: 'company_id' })
    return JSON.parse(JSON.stringify(body).replaceAll(one.baseUrl, ''))
  }
  const original = await read(app)
  expect(original.data).toHaveLength(2)
  expect([await read(there), await read(back)]).toEqual([original, original])
  const [ada] = original.data
  const [attachment] = (await attachmentsOf(back, 'admin').list('person', ada.id)).body.data
  const url = await attachmentsOf(back, 'admin').urlOf('person', ada.id, attachment._id)
  expect(await (await fetch(url)).text()).toBe('The bytes of a file')
})

/** The webhooks or workflows of an app: what is enabled, and why not. */
const states = async (one: typeof app, path: string): Promise<Json[]> =>
  (await one.api.get(`/workspaces/acme/${path}`)).body.data.map(({ attributes }: Json) => [
    attributes.enabled,
    attributes.disabled_reason ?? attributes.stopped_reason ?? null,
  ])

test('a copy does not send what the original sends: webhooks and workflows are disabled', async () => {
  for (const path of ['webhooks', 'workflows']) {
    expect(await states(app, path)).toEqual([[true, null]])
    expect(await states(back, path)).toEqual([[false, 'credential_ended']])
  }
})

test('no secret is in a bundle', async () => {
  const texts = Object.values(await entriesOf(await readFile(bundle))).join('\n')
  expect(texts).toContain('Europe/Zurich')
  for (const secret of ['SECRET', '"secrets"', 'whsec_', 'key_hash', 'password']) expect(texts).not.toContain(secret)
})
