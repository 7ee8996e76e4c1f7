import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { importsOf, mappingOf } from '../harness/imports.ts'
import { recordsOf } from '../harness/records.ts'

const app = await startApp()
const records = recordsOf(app)
const imports = importsOf(app)

const preview = async (content: string, options: Json): Promise<Json> => {
  const body = { upload_id: await imports.upload(content), ...options }
  const answer = await app.api.post('/workspaces/acme/imports/preview', { as: 'member', body })
  return answer.status === 200 ? answer.body.data : answer
}

test('a preview proposes a mapping, and shows the first rows as they would be stored', async () => {
  const ada = await records.create('person', {
    email_addresses: { items: ['ada@example.com'] },
    phone_numbers: { items: ['+41446681800'] },
  })
  await app.events()
  const file = [
    'Vorname;Last name;Kontakt;Tel;Note',
    'Ada;Lovelace;ADA@example.com;;x',
    ';;bob@example.com;+41 44 668 18 01;',
    'Cid;Ng;cid@example.com;+41 44 668 18 02;',
    'Dan;;;+41 44 668 18 03;',
  ].join('\n')
  const shown = await preview(file, { object: 'person' })
  expect(shown).toMatchObject({ encoding: 'utf-8', delimiter: ';', match_on: 'email_addresses', ambiguities: [] })
  expect(shown.mapping).toEqual(
    mappingOf({ 'Last name': 'name.last_name', Kontakt: 'email_addresses', Tel: 'phone_numbers' }),
  )
  expect(shown.columns).toMatchObject([
    { name: 'Vorname', samples: ['Ada', 'Cid', 'Dan'], fields: [] },
    { name: 'Last name', samples: ['Lovelace', 'Ng'], fields: ['name.last_name'] },
    { name: 'Kontakt', fields: ['email_addresses'] },
    { name: 'Tel', fields: ['phone_numbers'] },
    { name: 'Note', fields: [] },
  ])
  expect(shown.rows).toMatchObject([
    {
      line: 2,
      outcome: 'updated',
      record_id: ada.id,
      attributes: {
        name: { last_name: 'Lovelace' },
        email_addresses: { items: ['ada@example.com'] },
        phone_numbers: { items: ['+41446681800'] },
      },
    },
    { line: 3, outcome: 'created', record_id: null, attributes: { phone_numbers: { items: ['+41446681801'] } } },
    { line: 4, outcome: 'created', attributes: { name: { last_name: 'Ng' } }, reason: null },
    { line: 5, outcome: 'rejected', attributes: null, reason: 'email_addresses: The value to match on is missing.' },
  ])
  expect([await records.count('person'), await app.events()]).toEqual([1, []])
})

test('dates and decimals are found in the texts; those that can be read in two ways are named', async () => {
  const mapping = mappingOf({ Name: 'name', Amount: 'amount', Due: 'close_date' })
  const first = await preview('Name,Amount,Due\nOne,"1.234,50",31/1/2026\nTwo,"1.234",1/2/2026\n', {
    object: 'deal',
    mapping,
  })
  expect(first).toMatchObject({ dates: 'dmy', decimal: ',', ambiguities: [] })
  expect(first.rows.map(({ attributes }: Json) => [attributes.amount, attributes.close_date])).toEqual([
    [1234.5, '2026-01-31'],
    [1234, '2026-02-01'],
  ])
  const unclear = 'Name,Amount,Due\nOne,1.234,1/2/2026\n'
  expect((await preview(unclear, { object: 'deal', mapping })).ambiguities).toMatchObject([
    { option: 'dates', columns: ['Due'], values: ['dmy', 'mdy'] },
    { option: 'decimal', columns: ['Amount'], values: ['.', ','] },
  ])
  const decided = await preview(unclear, { object: 'deal', mapping, dates: 'mdy', decimal: ',' })
  expect([decided.ambiguities, decided.rows[0].attributes]).toMatchObject([
    [],
    { amount: 1234, close_date: '2026-01-02' },
  ])
})

test('members of NDJSON that are fields need no mapping, and a mapping that does not fit is refused', async () => {
  const plain = await preview('{"job_title":"A"}\n{"job_title":1}', { object: 'person', format: 'ndjson' })
  expect(plain).toMatchObject({ mapping: [], rows: [{ outcome: 'created' }, { outcome: 'rejected' }] })
  const refused = await preview('Name\nx', { object: 'person', mapping: mappingOf({ Name: 'nmae' }) })
  expect([refused.status, refused.body.errors[0].source]).toEqual([422, { pointer: '/mapping' }])
})
