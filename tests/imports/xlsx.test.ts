import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { importsOf, mappingOf } from '../harness/imports.ts'
import { recordsOf } from '../harness/records.ts'
import { shared, text, value, workbookOf } from '../harness/workbook.ts'

const app = await startApp()
const records = recordsOf(app)
const imports = importsOf(app)

const deals = [
  [text('Deal'), text('Value'), text('Closes'), text('Note'), text('Code')],
  [text('Engine'), value(1234.5), value(46_053, 1), shared(2), value(417, 3)],
  [],
  [text('Compiler'), ' t="str"><f>A1&amp;B1</f><v>7,5</v></c>', text('1.2.2026'), null, text('x_x000D_y')],
  [text('Refused'), text('much'), ' t="e"><v>#N/A</v></c>', ' t="b"><v>1</v></c>', value(0.1 + 0.2)],
]
const workbook = await workbookOf([
  { name: 'Hidden', isHidden: true, rows: [[text('Nothing')]] },
  { name: 'Deals', rows: deals },
  { name: 'Old', rows: [] },
])
const options = {
  object: 'deal',
  format: 'xlsx',
  decimal: ',',
  dates: 'dmy',
  mapping: mappingOf({ Deal: 'name', Value: 'amount', Closes: 'close_date', '{Note} {Code}': 'description' }),
}

test('a preview shows typed cells of the first sheet that is not hidden, and names the others', async () => {
  const body = { object: 'deal', format: 'xlsx', upload_id: await imports.upload(workbook, 'deals.xlsx') }
  const { data } = (await app.api.post('/workspaces/acme/imports/preview', { as: 'member', body })).body
  expect(data).toMatchObject({ sheet: 'Deals', sheets: ['Hidden', 'Deals', 'Old'], delimiter: null, ambiguities: [] })
  expect(data.columns.map(({ name, samples }: Json) => [name, samples])).toEqual([
    ['Deal', ['Engine', 'Compiler', 'Refused']],
    ['Value', ['1234.5', '7,5', 'much']],
    ['Closes', ['2026-01-31', '1.2.2026']],
    ['Note', ['Rich text', 'true']],
    ['Code', ['00417', 'x\ry', '0.3']],
  ])
  expect(
    (await app.api.post('/workspaces/acme/imports/preview', { as: 'member', body: { ...body, sheet: 'None' } })).body,
  ).toMatchObject({ errors: [{ detail: expect.stringMatching(/no sheet "None".*"Hidden", "Deals", "Old"/) }] })
})

test('rows of a sheet are imported, and its rejected rows are a workbook that is imported again', async () => {
  const done = await imports.run(workbook, options)
  expect(done).toMatchObject({ state: 'completed', sheet: 'Deals', rows_total: 3, created: 2, rejected: 1 })
  const found = (await records.list('deal')).body.data.map(({ attributes }: Json) => attributes)
  expect(found.toSorted((one: Json, other: Json) => (one.name < other.name ? -1 : 1))).toMatchObject([
    { name: 'Compiler', amount: 7.5, close_date: '2026-02-01' },
    { name: 'Engine', amount: 1234.5, close_date: '2026-01-31', description: 'Rich text 00417' },
  ])
  const { body } = await app.api.post(`/workspaces/acme/imports/${done._id}/rejects/file`, { as: 'member' })
  expect(body.data.name).toBe('contacts.rejects.xlsx')
  const rejects = await (await fetch(body.data.signedUrl)).bytes()
  const mapping = mappingOf({ Deal: 'name', _reason: 'description', Code: 'amount' })
  const again = await imports.run(Buffer.from(rejects), { ...options, sheet: 'deals', mapping })
  expect(again).toMatchObject({ created: 1, rows_total: 1 })
  const refused = await records.list('deal', { 'filter[name]': 'Refused' })
  expect(refused.body.data[0].attributes).toMatchObject({
    amount: 0.3,
    description: expect.stringMatching(/^amount: /),
  })
})

test.each([
  ['another file', Buffer.from('Name,E-mail\n'), {}, /not a workbook/],
  ['an old workbook', Buffer.from('d0cf11e0a1b11ae1', 'hex'), {}, /before 2007/],
  ['an option of CSV', workbook, { delimiter: ';' }, /delimiter is for CSV only/],
  ['an empty sheet', workbook, { sheet: 'Old' }, /"Old" is empty/],
  [
    'a file that grows too much',
    await workbookOf([{ name: 'A', rows: [] }], { 'xl/worksheets/sheet0.xml': ' '.repeat(8_000_000) }),
    {},
    /too large when it is unpacked/,
  ],
  [
    'rows in another order',
    await workbookOf([], {
      'xl/workbook.xml': '<workbook><sheets><sheet name="A" r:id="a"/></sheets></workbook>',
      'xl/_rels/workbook.xml.rels': '<r><Relationship Id="a" Type="x/worksheet" Target="a.xml"/></r>',
      'xl/a.xml': '<s><row r="2"><c><v>1</v></c></row><row r="1"/></s>',
    }),
    {},
    /not numbered in order/,
  ],
])('refuses %s with a reason', async (_name, content, changes, detail) => {
  const { status, body } = await imports.start(content, { ...options, ...changes })
  expect([status, body.errors?.[0].detail]).toEqual([422, expect.stringMatching(detail)])
})
