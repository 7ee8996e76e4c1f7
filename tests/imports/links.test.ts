import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { importsOf, mappingOf } from '../harness/imports.ts'
import { recordsOf } from '../harness/records.ts'

const app = await startApp()
const records = recordsOf(app)
const imports = importsOf(app)
const links = { object: 'person', relationship: 'deals' }
const byValue = { ...links, mapping: mappingOf({ Mail: 'person.email_addresses', Deal: 'deals.name' }) }

test('rows link records at both ends; those that are missing are rejected or created; a revert unlinks', async () => {
  await records.createMany('deal', [{ name: 'Bridge' }, { name: 'Tunnel' }])
  const person = await records.create('person', { email_addresses: { items: ['cy@example.com'] } })
  const linked = async (): Promise<string[]> => {
    const { body } = await app.api.get(`/workspaces/acme/objects/person/records/${person.id}/relationships/deals`)
    return body.data.map(({ attributes }: { attributes: { name: string } }) => attributes.name).toSorted()
  }
  const file =
    'Mail,Deal\ncy@example.com,Bridge\ncy@example.com,tunnel\ncy@example.com,Nowhere\nno@example.com,Bridge\n,Bridge\n'
  const dry = await imports.run(file, { ...byValue, dry_run: true })
  expect([dry, await linked()]).toMatchObject([{ created: 2, rejected: 3, relationship: 'deals' }, []])
  const done = await imports.run(file, byValue)
  expect([done, await linked()]).toMatchObject([
    { state: 'completed', created: 2, rejected: 3, created_linked: {} },
    ['Bridge', 'Tunnel'],
  ])
  expect((await imports.rejects(done._id)).split('\r\n').slice(1)).toEqual([
    'cy@example.com,Nowhere,4,"There is no deal with name ""Nowhere"" that you may see."',
    'no@example.com,Bridge,5,"There is no person with email_addresses ""no@example.com"" that you may see."',
    ',Bridge,6,person: The cell that names the record is empty.',
    '',
  ])
  const created = await imports.run(file, { ...byValue, create_missing: true })
  expect(created).toMatchObject({ created: 4, rejected: 1, created_linked: { person: 1, deal: 1 } })
  expect(await linked()).toEqual(['Bridge', 'Nowhere', 'Tunnel'])
  await imports.revert(done._id)
  expect(await linked()).toEqual(['Nowhere'])
})

test.each([
  [{ ...links, relationship: 'company_id' }, /leads to one record/],
  [{ ...links, relationship: 'dels' }, /no relationship "dels"\. Did you mean "deals"/],
  [{ ...links, mapping: mappingOf({ Mail: 'person', Deal: 'name' }) }, /Map a column to the deal: "deals.name"/],
  [{ ...byValue, match_on: 'email_addresses' }, /no match_on/],
  [{ ...byValue, format: 'ndjson' }, /relationship is for CSV, XLSX only/],
])('refuses a mapping that names no two ends: %j', async (options, detail) => {
  const { status, body } = await imports.start('Mail,Deal\na,b\n', { mapping: byValue.mapping, ...options })
  expect([status, body.errors[0].detail]).toEqual([422, expect.stringMatching(detail)])
})

test('an import that was cancelled is resumed after its last row, unless it was reverted', async () => {
  const started = await imports.start('Name\nOne\nTwo\n', { object: 'company', mapping: mappingOf({ Name: 'name' }) })
  const { id } = started.body.data
  const resume = () => app.api.post(`/workspaces/acme/imports/${id}/resume`, { as: 'member' })
  await imports.cancel(id)
  const resumed = await resume()
  expect([resumed.status, resumed.body.data.attributes]).toMatchObject([202, { ended_at: null, error: null }])
  expect(await imports.ended(id)).toMatchObject({ state: 'completed', created: 2, rows_done: 2 })
  expect((await resume()).body.data.attributes).toMatchObject({ state: 'completed', created: 2 })
  const other = (await imports.start('Name\nThree\n', { object: 'company', mapping: mappingOf({ Name: 'name' }) })).body
  await imports.cancel(other.data.id)
  await imports.revert(other.data.id)
  const late = await app.api.post(`/workspaces/acme/imports/${other.data.id}/resume`, { as: 'member' })
  expect([late.status, late.body.errors[0].code]).toEqual([409, 'import_state'])
})
