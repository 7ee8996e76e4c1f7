import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { importsOf } from '../harness/imports.ts'
import { recordsOf } from '../harness/records.ts'

const app = await startApp()
const records = recordsOf(app)
const imports = importsOf(app)

const lines = (...cards: readonly string[]): string => `${cards.join('\r\n')}\r\n`
const cards = lines(
  'BEGIN:VCARD',
  'VERSION:3.0',
  'N:Hopper;Grace;Brewster;Rear Admiral;',
  'FN:Grace Hopper',
  'item1.EMAIL;TYPE=INTERNET:old@example.com',
  'EMAIL;TYPE=pref:grace@exam',
  ' ple.com',
  'TEL;TYPE=CELL,VOICE:+41 44 668 18 00',
  'TEL;TYPE=WORK,FAX:+41 44 668 18 99',
  'ADR;TYPE=HOME:;;Main St. 1\\, left;Zürich;ZH;8000;Switzerland',
  'TITLE:Admiral',
  'NOTE:first\\nsecond',
  'PHOTO;ENCODING=b;TYPE=JPEG:AAAA',
  ' AAAA',
  'END:VCARD',
  '',
  'BEGIN:VCARD',
  'VERSION:4.0',
  'N:Lovelace;Ada;;;',
  'FN:Ada Lovelace',
  'EMAIL;PREF=1:ada@example.com',
  'TEL;VALUE=uri:tel:+41446681801;ext=12',
  'X-SOCIALPROFILE;TYPE=linkedin:https://www.linkedin.com/in/ada',
  'END:VCARD',
  'begin:vcard',
  'VERSION:2.1',
  'N;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:M=FCller;J=F6=',
  'rg',
  'EMAIL;INTERNET:nowhere',
  'PHOTO;BASE64:AAAA',
  '  AAAA',
  '',
  'end:vcard',
)

const attributesOf = async (address: string): Promise<Json> =>
  (await records.list('person', { 'filter[email_addresses]': address })).body.data[0]?.attributes

test('cards become persons by the mapping that a preview proposes', async () => {
  const body = { object: 'person', format: 'vcard', upload_id: await imports.upload(cards, 'phone.vcf') }
  const { data } = (await app.api.post('/workspaces/acme/imports/preview', { as: 'member', body })).body
  expect(data.match_on).toBe('email_addresses')
  expect(data.rows.map(({ line, outcome }: Json) => [line, outcome])).toEqual([
    [15, 'created'],
    [24, 'created'],
    [33, 'rejected'],
  ])
  const { mapping, match_on } = data
  const done = await imports.run(cards, { object: 'person', format: 'vcard', mapping, match_on })
  expect(done).toMatchObject({ state: 'completed', rows_total: 3, created: 2, rejected: 1, error: null })
  expect(await attributesOf('grace@example.com')).toMatchObject({
    name: { first_name: 'Grace', last_name: 'Hopper', full_name: 'Grace Hopper' },
    email_addresses: { items: ['grace@example.com', 'old@example.com'] },
    phone_numbers: { items: ['+41446681800'] },
    location: { street: 'Main St. 1, left', city: 'Zürich', postal_code: '8000', country: 'Switzerland' },
    job_title: 'Admiral',
    description: 'first\nsecond',
  })
  expect(await attributesOf('ada@example.com')).toMatchObject({
    phone_numbers: { items: ['+41446681801'] },
    linkedin: 'https://www.linkedin.com/in/ada',
  })
  const file = await app.api.post(`/workspaces/acme/imports/${done._id}/rejects/file`, { as: 'member' })
  expect(file.body.data.name).toBe('contacts.rejects.vcf')
  const rejects = await (await fetch(file.body.data.signedUrl)).text()
  expect(rejects).toMatch(/\r\nX-KONTOR-LINE:33\r\nX-KONTOR-REASON:email_addresses.items.0: .*\r\nend:vcard\r\n$/)
  expect(rejects).not.toContain('PHOTO')
  const corrected = rejects.replace('nowhere', 'jm@example.com')
  expect(await imports.run(corrected, { object: 'person', format: 'vcard', mapping, match_on })).toMatchObject({
    created: 1,
    rejected: 0,
  })
  expect((await attributesOf('jm@example.com')).name).toMatchObject({ first_name: 'Jörg', last_name: 'Müller' })
})

test('what is no card, or ends within one, is refused', async () => {
  const mapping = [{ source: 'E-mail', field: 'email_addresses' }]
  const none = await imports.start('Name,E-mail\n', { object: 'person', format: 'vcard', mapping })
  expect([none.status, none.body.errors[0].detail]).toEqual([422, expect.stringContaining('BEGIN:VCARD')])
  const broken = await imports.start(`${cards}BEGIN:VCARD\nN:x`, { object: 'person', format: 'vcard', mapping })
  const detail = expect.stringMatching(/after line 33 is incomplete/)
  expect([broken.status, broken.body.errors[0].detail]).toEqual([422, detail])
})
