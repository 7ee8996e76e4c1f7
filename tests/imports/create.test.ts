import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { importsOf, mappingOf } from '../harness/imports.ts'
import { recordsOf } from '../harness/records.ts'
import { until } from '../harness/until.ts'

const app = await startApp()
const records = recordsOf(app)
const imports = importsOf(app)
const people = { object: 'person', mapping: mappingOf({ Name: 'name', 'E-mail': 'email_addresses', Job: 'job_title' }) }
const matched = { ...people, match_on: 'email_addresses' }

const jobOf = async (address: string): Promise<unknown> => {
  const { body } = await records.list('person', { 'filter[email_addresses]': address })
  return body.data[0]?.attributes.job_title
}

test('rows create records, update those that match, and are rejected with a reason', async () => {
  await records.createMany('person', [
    { email_addresses: { items: ['ada@example.com'] }, job_title: 'Analyst' },
    { email_addresses: { items: ['bob@example.com'] }, job_title: 'Baker', name: { first_name: 'Bob' } },
  ])
  await app.events()
  const file = [
    'Name,E-mail,Job,Fax',
    'Ada Lovelace,ada@example.com,Countess,1',
    'Bob,bob@example.com,Baker,2',
    '"Cid, the first",cid@example.com,"Chief\ncook",3',
    'Dan,not an address,Driver,4',
    'Eve,,Editor,5',
    'Max "M" Moss,max@example.com,Farmer,6',
    '',
  ].join('\r\n')
  const done = await imports.run(file, matched)
  expect(done).toMatchObject({
    state: 'completed',
    encoding: 'utf-8',
    delimiter: ',',
    file_name: 'contacts.csv',
    rows_total: 6,
    rows_done: 6,
    created: 2,
    updated: 1,
    unchanged: 1,
    rejected: 2,
    error: null,
    _created_by: app.userIds.member,
  })
  expect([await jobOf('ada@example.com'), await jobOf('cid@example.com')]).toEqual(['Countess', 'Chief\ncook'])
  expect((await app.events()).map(({ type }) => type).toSorted()).toEqual([
    'record.created',
    'record.created',
    'record.updated',
  ])
  expect((await imports.rejects(done._id)).split('\r\n')).toEqual([
    'Name,E-mail,Job,Fax,_line,_reason',
    expect.stringMatching(/^Dan,not an address,Driver,4,6,"?email_addresses\.items\.0: /),
    'Eve,,Editor,5,7,email_addresses: The value to match on is missing.',
    '',
  ])
  const task = await app.api.get(`/workspaces/acme/async-tasks/${done._id}`)
  expect(task.body.data.attributes).toMatchObject({ type: 'import', state: 'completed', progress: 6, total: 6 })
})

test('a dry run counts all rows and writes none', async () => {
  const before = await records.count('person')
  const file = 'Name,E-mail,Job\nFay,fay@example.com,Farmer\nAda,ada@example.com,Queen\nGus,nowhere,Guide\n'
  const upload_id = await imports.upload(file)
  const { body } = await imports.create({ ...matched, upload_id, dry_run: true })
  const counts = { created: 1, updated: 1, unchanged: 0, rejected: 1 }
  expect(await imports.ended(body.data.id)).toMatchObject({ dry_run: true, state: 'completed', ...counts })
  expect([await records.count('person'), await jobOf('ada@example.com')]).toEqual([before, 'Countess'])
  // The same upload can be imported then.
  const real = await imports.create({ ...matched, upload_id })
  expect(await imports.ended(real.body.data.id)).toMatchObject({ state: 'completed', ...counts })
  expect(await jobOf('ada@example.com')).toBe('Queen')
})

test('lines of NDJSON are attributes, or members that are mapped to fields', async () => {
  const lines = [{ job_title: 'A' }, { job_title: 'B', unknown: 1 }, [1]].map((line) => JSON.stringify(line))
  const plain = await imports.run(`${lines.join('\n')}\n{"job_title":`, { object: 'person', format: 'ndjson' })
  expect(plain).toMatchObject({ state: 'completed', rows_total: 4, created: 1, rejected: 3, delimiter: null })
  expect(await imports.rejects(plain._id)).toMatch(
    /^job_title,unknown,_line,_reason\r\nB,1,2,"unknown: .*not a JSON object.*not valid JSON/s,
  )
  const mapping = mappingOf({ mail: 'email_addresses', given: 'name.first_name' })
  const line = JSON.stringify({ mail: { items: ['hal@example.com'] }, given: 'Hal', other: null })
  expect(await imports.run(line, { object: 'person', format: 'ndjson', mapping })).toMatchObject({ created: 1 })
  const { body } = await records.list('person', { 'filter[email_addresses]': 'hal@example.com' })
  expect(body.data[0].attributes.name).toMatchObject({ first_name: 'Hal' })
})

test('what does not fit is refused before anything is imported', async () => {
  const file = 'Name,E-mail\nAda,ada@example.com\n'
  for (const [content, options, detail] of [
    [file, { object: 'person' }, /requires a mapping/],
    [file, { object: 'person', mapping: mappingOf({ Nmae: 'name' }) }, /no column "Nmae".*Name/],
    [file, { object: 'person', mapping: mappingOf({ Name: 'nmae' }) }, /no field "nmae"/],
    [file, { object: 'person', mapping: mappingOf({ Name: 'name' }), match_on: 'name' }, /matched by a unique field/],
    ['', { ...people }, /is empty/],
    ['Name,Name\n', { ...people }, /contains "Name" twice/],
    ['{"a":1}', { object: 'person', format: 'ndjson', mapping: mappingOf({ b: 'name' }) }, /no member "b"/],
    [
      '{"a":1}',
      { object: 'person', format: 'ndjson', create_missing: true },
      /create_missing is for CSV, XLSX, vCard only/,
    ],
  ] as const) {
    const { status, body } = await imports.start(content, options)
    expect([status, body.errors?.[0].code, body.errors?.[0].detail]).toEqual([
      422,
      'invalid_body',
      expect.stringMatching(detail),
    ])
  }
  const unsent = await app.api.post('/workspaces/acme/imports/uploads', { as: 'member', body: { name: 'a.csv' } })
  const early = await imports.create({ ...people, upload_id: unsent.body.data.upload_id })
  expect([early.status, early.body.errors[0].detail]).toEqual([422, expect.stringContaining('Nothing has been')])
  const others = await importsOf(app, 'admin').create({ ...people, upload_id: await imports.upload(file) })
  expect([others.status, others.body.errors[0].detail]).toEqual([422, expect.stringContaining('no upload of yours')])
})

test('nothing is written of a file that is broken further down', async () => {
  const before = await records.count('person')
  const many = Array.from({ length: 12_000 }, (_, row) => `Ida,ida-${row}@example.com,x`).join('\n')
  const done = await imports.run(`Name,E-mail,Job\n${many}\nJon,"jon@example.com\n`, matched)
  expect(done).toMatchObject({
    state: 'failed',
    error: expect.stringMatching(/line 12002: a quote is opened/),
    created: 0,
  })
  expect(await records.count('person')).toBe(before)
})

test('members see their own imports, admins all; viewers import nothing', async () => {
  const done = await imports.run('Name,E-mail,Job\nKim,kim@example.com,x\n', matched)
  const colleague = await app.addMember('member', 'colleague')
  const theirs = importsOf(app, colleague.as)
  expect([(await theirs.get(done._id)).status, (await theirs.list()).body.meta.total_records]).toEqual([404, 0])
  expect((await importsOf(app, 'admin').get(done._id)).status).toBe(200)
  const listed = await imports.list({ 'filter[state]': 'completed', 'page[limit]': 1 })
  expect(listed.body.data).toMatchObject([{ type: 'import', id: done._id }])
  const viewer = await app.api.post('/workspaces/acme/imports', { as: 'viewer', body: { ...matched, upload_id: 'x' } })
  expect(viewer.status).toBe(403)
})

test('an import is forgotten after 90 days, with the rows that it rejected', async () => {
  const done = await imports.run('Name,E-mail,Job\nMax,nowhere,x\n', matched)
  expect(await app.remains(done._id)).toMatchObject({ import_reject: 1, record_import: 1 })
  await app.advance(91 * 86_400_000)
  await until(async () => (await imports.get(done._id)).status === 404)
  expect(await app.remains(done._id)).toEqual({})
})
