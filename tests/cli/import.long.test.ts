import { readFile, stat } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { answered, scratchFile } from './kontor.ts'

const { api, baseUrl, credentials, startJobs } = await startApp()
await startJobs()
const env = { KONTOR_BASE_URL: baseUrl, KONTOR_API_KEY: credentials.keys.adminKey!, KONTOR_WORKSPACE: 'acme' }

const maps = (...texts: string[]) => texts.flatMap((text) => ['--map', text])
const load = (object: string, file: string, ...args: string[]) =>
  answered(['import', object, file, '--json', ...args], env)
const list = async (object: string, filter: Record<string, string>) =>
  (await api.get(`/workspaces/acme/objects/${object}/resources`, { query: { 'page[limit]': 1000, ...filter } })).body
    .data as ReturnType<typeof JSON.parse>[]
const counts = (created: number, updated: number, unchanged: number, rejected: number) => ({
  created,
  updated,
  unchanged,
  rejected,
})

const byMail = [
  ...maps('First=name.first_name', 'Last=name.last_name', 'Mail=email_addresses'),
  '--match-on',
  'email_addresses',
]

test('every kind of cell becomes the value that its field takes', async () => {
  const file = await scratchFile(
    // A byte order mark, Windows line ends, quotes, a line break in a cell, an empty line, spaces around cells.
    '\uFEFFFirst,Last,Mail,Phone,Mobile,City,Street,About,Tags\r\n' +
      'Zoë,"O\'Brien, Jr.",zoe@kinds.example.com;z@kinds.example.com,+1 202-224-3441,+1 202-224-3442, Köln ' +
      ',"Am ""Ring"" 1","two\r\nlines",a; b ;\r\n\r\n' +
      ' Ann ,,ann@kinds.example.com,,,,,,\r\n',
  )
  const { code, json } = await load(
    'person',
    file,
    ...byMail,
    ...maps(
      'Phone=phone_numbers',
      'Mobile=phone_numbers',
      'City=location.city',
      'Street=location.street',
      'About=description',
      'Tags=labels',
    ),
  )
  expect({ code, json }).toEqual({
    code: 0,
    json: {
      object: 'person',
      file,
      run: expect.any(String),
      dry_run: false,
      complete: true,
      rows: 2,
      ...counts(2, 0, 0, 0),
      rejects_file: null,
      rejected_rows: [],
      reasons: [],
    },
  })
  const people = await list('person', {})
  const byName = (first: string) => people.find(({ attributes }) => attributes.name?.first_name === first)?.attributes
  expect(byName('Zoë')).toMatchObject({
    name: { first_name: 'Zoë', last_name: "O'Brien, Jr.", full_name: "Zoë O'Brien, Jr." },
    email_addresses: { items: ['zoe@kinds.example.com', 'z@kinds.example.com'] },
    phone_numbers: { items: ['+12022243441', '+12022243442'] },
    location: { city: 'Köln', street: 'Am "Ring" 1' },
    description: 'two\r\nlines',
    labels: { items: ['a', 'b'] },
  })
  expect(byName('Ann')).toMatchObject({
    name: { first_name: 'Ann', last_name: null },
    phone_numbers: { items: [] },
    location: null,
    description: null,
  })
})

test('--country reads phone numbers as those of a country', async () => {
  const file = await scratchFile('Mail,Phone\nch@kinds.example.com,044 668 18 00\n')
  const phones = maps('Mail=email_addresses', 'Phone=phone_numbers')
  expect((await load('person', file, ...phones, '--country', 'CH')).json).toMatchObject(counts(1, 0, 0, 0))
  expect(await list('person', { 'filter[email_addresses]': 'ch@kinds.example.com' })).toMatchObject([
    { attributes: { phone_numbers: { items: ['+41446681800'] } } },
  ])
  const wrong = await load('person', file, ...phones, '--country', 'UK')
  expect(wrong.code).toBe(1)
  expect(wrong.stderr).toMatch(/"UK" is not a country code/)
})

test('numbers, dates, checkboxes and selects', async () => {
  const deals = await scratchFile('Deal;Worth;Stage;Close\nKinds;1250.50;Won;2026-03-01\n', 'deals.csv')
  expect(
    (
      await load(
        'deal',
        deals,
        '--delimiter',
        ';',
        ...maps('Deal=name', 'Worth=amount', 'Stage=stage', 'Close=close_date'),
      )
    ).json,
  ).toMatchObject(counts(1, 0, 0, 0))
  expect((await list('deal', { 'filter[name]': 'Kinds' }))[0].attributes).toMatchObject({
    amount: 1250.5,
    stage: 'Won',
    close_date: '2026-03-01',
  })
  const meetings = await scratchFile('Title\tAll day\tStart\nKinds\tYes\t2026-03-01T09:00:00Z\n', 'meetings.tsv')
  expect(
    (await load('meeting', meetings, '--delimiter', '\\t', ...maps('Title=title', 'All day=all_day', 'Start=start')))
      .json,
  ).toMatchObject(counts(1, 0, 0, 0))
  expect((await list('meeting', { 'filter[title]': 'Kinds' }))[0].attributes).toMatchObject({
    all_day: true,
    start: '2026-03-01T09:00:00.000Z',
  })
})

const clerk = (i: number, title: string) => `F${i},L${i},p${i}@again.example.com,${i === 7 ? title : 'Clerk'}`

const clerks = (title: string) =>
  `First,Last,Mail,Title\n${Array.from({ length: 30 }, (_, i) => clerk(i, title)).join('\n')}\n`

const importOf = async (title: string) =>
  (await load('person', await scratchFile(clerks(title)), ...byMail, ...maps('Title=job_title'))).json

test('an import again changes nothing, and one with other values changes just those', async () => {
  expect(await importOf('Clerk')).toMatchObject(counts(30, 0, 0, 0))
  expect(await importOf('Clerk')).toMatchObject(counts(0, 0, 30, 0))
  expect(await importOf('Chief')).toMatchObject(counts(0, 1, 29, 0))
  expect(await list('person', { 'filter[email_addresses]': 'p7@again.example.com' })).toMatchObject([
    { attributes: { job_title: 'Chief' } },
  ])
})

test('rows that share a value are one record', async () => {
  const file = await scratchFile(
    'First,Last,Mail\nAda,King,ada@twice.example.com\nAda,King,ada@twice.example.com\n' +
      'Ada,Lovelace,ada@twice.example.com\n',
  )
  expect((await load('person', file, ...byMail)).json).toMatchObject(counts(1, 1, 1, 0))
  expect((await load('person', file, ...byMail)).json).toMatchObject({ created: 0, rejected: 0 })
})

test('a value to match on is made from columns by a template, and absent where one is empty', async () => {
  const file = await scratchFile('Id,Name\nA1,Ann\n,Unknown\n')
  const args = [
    ...maps('Name=name', '{Id}@template.example.com=email_addresses', '{Name} ({Id})=job_title'),
    '--match-on',
    'email_addresses',
  ]
  const { json } = await load('person', file, ...args)
  expect(json).toMatchObject(counts(1, 0, 0, 1))
  expect(await list('person', { 'filter[email_addresses]': 'a1@template.example.com' })).toMatchObject([
    { attributes: { name: { full_name: 'Ann' }, job_title: 'Ann (A1)' } },
  ])
  expect(await readFile(json.rejects_file, 'utf8')).toBe(
    'Id,Name,_line,_reason\r\n,Unknown,3,email_addresses: The value to match on is missing.\r\n',
  )
})

test('only the rows at fault are rejected, with their reasons; mended, they go in', async () => {
  const taken = await scratchFile('Name\nTaken\n', 'taken.csv')
  await load('deal', taken, ...maps('Name=name'))
  const good = Array.from({ length: 20 }, (_, i) => `Good ${i},${i}.5,Won`)
  const bad = ['Much,lots,Won', 'Odd,1,Perhaps', 'Taken,1,Won', 'Good 3,1,Won', 'Short,1', 'Precise,1.23456,Won']
  const file = await scratchFile(`Name,Amount,Stage\n${[...good, ...bad].join('\n')}\n`, 'deals.csv')
  const { code, json, stderr } = await load('deal', file, ...maps('Name=name', 'Amount=amount', 'Stage=stage'))
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(json).toMatchObject({ rows: 26, ...counts(20, 0, 0, 6), rejects_file: file.replace('.csv', '.rejects.csv') })
  const rejects = await readFile(json.rejects_file, 'utf8')
  expect(rejects.split('\r\n')).toEqual([
    'Name,Amount,Stage,_line,_reason',
    expect.stringMatching(
      /^Much,lots,Won,22,"amount: ""lots"" is not a number; write digits, with a point before decimals\."$/,
    ),
    expect.stringMatching(/^Odd,1,Perhaps,23,"stage: Must be one of: Lead, /),
    expect.stringMatching(/^Taken,1,Won,24,"name: Another deal has this name already\. .* Its id: [0-9a-f-]{36}\."$/),
    expect.stringMatching(/^Good 3,1,Won,25,name: /),
    'Short,1,,26,"The row has 2 cells, but the first line has 3."',
    'Precise,1.23456,Won,27,amount: Must have at most 4 decimals.',
    '',
  ])
  const mended = await scratchFile(
    rejects
      .replace('lots', '5')
      .replace('Perhaps', 'Won')
      .replace('Taken', 'Free')
      .replace('Good 3', 'Good 30')
      .replace('Short,1,', 'Short,1,Won')
      .replace('1.23456', '1'),
    'mended.csv',
  )
  expect((await load('deal', mended, ...maps('Name=name', 'Amount=amount', 'Stage=stage'))).json).toMatchObject(
    counts(6, 0, 0, 0),
  )
})

test('a character that cannot be stored rejects its row alone, in the midst of a thousand', async () => {
  const rows = Array.from({ length: 1200 }, (_, i) => (i === 700 ? 'Nul \0 inside,1' : `Row ${i},1`))
  const file = await scratchFile(`Name,Amount\n${rows.join('\n')}\n`, 'nul.csv')
  const { code, json } = await load('deal', file, ...maps('Name=name', 'Amount=amount'))
  expect({ code, json }).toMatchObject({ code: 0, json: { complete: true, rows: 1200, ...counts(1199, 0, 0, 1) } })
  expect((await readFile(json.rejects_file, 'utf8')).split('\r\n')[1]).toMatch(/^Nul \0 inside,1,702,name: /)
})

test('--strict and an import of which nothing is left end with 1', async () => {
  const half = await scratchFile('Name,Amount\nStrict,1\nStricter,x\n', 'half.csv')
  const strict = await load('deal', half, ...maps('Name=name', 'Amount=amount'), '--strict')
  expect(strict).toMatchObject({ code: 1, json: counts(1, 0, 0, 1), stderr: '1 row was rejected.\n' })
  const none = await scratchFile('Name,Amount\nNone,x\n', 'none.csv')
  expect(await load('deal', none, ...maps('Name=name', 'Amount=amount'))).toMatchObject({
    code: 1,
    json: counts(0, 0, 0, 1),
    stderr: 'Every row was rejected.\n',
  })
})

test('--dry-run tells what would be, and writes nothing', async () => {
  const before = await list('person', {})
  const file = await scratchFile('First,Last,Mail\nDry,Run,dry@run.example.com\nDry,Bad,nonsense\n')
  const { json } = await load('person', file, ...byMail, '--dry-run')
  expect(json).toMatchObject({ dry_run: true, ...counts(1, 0, 0, 1) })
  expect(await list('person', {})).toEqual(before)
  expect((await load('person', file, ...maps('First=name'), '--dry-run')).json).toMatchObject(counts(2, 0, 0, 0))
  expect(await list('person', {})).toEqual(before)
})

test('without --json there is a summary for people, and no bar without a terminal', async () => {
  const row = 'Plain,Text,plain@text.example.com,42,2,wrong'
  const file = await scratchFile(`First,Last,Mail,Shoe size,_line,_reason\n${row}\n`)
  const { code, stdout, stderr } = await answered(['import', 'person', file, ...byMail], env)
  expect({ code, stdout, stderr }).toEqual({
    code: 0,
    stdout: '1 row: 1 created, 0 updated, 0 unchanged, 0 rejected.\n',
    stderr: 'Columns that were not imported: Shoe size\n',
  })
})

test('the rejected rows go where --rejects says, and no file is made where there are none', async () => {
  const file = await scratchFile('Name,Amount\nR1,x\nR2,2\n', 'r.csv')
  const rejects = `${file}.bad`
  expect(
    (await load('deal', file, ...maps('Name=name', 'Amount=amount'), '--rejects', rejects)).json.rejects_file,
  ).toBe(rejects)
  expect(await readFile(rejects, 'utf8')).toContain('R1,x,2,')
  const clean = await scratchFile('Name\nR3\n', 'clean.csv')
  await load('deal', clean, ...maps('Name=name'))
  await expect(stat(clean.replace('.csv', '.rejects.csv'))).rejects.toThrow('ENOENT')
})

test('a person who may not write is told so, and nothing is half done', async () => {
  const file = await scratchFile('Name\nViewer\n')
  const viewer = { ...env, KONTOR_API_KEY: '', KONTOR_ACCESS_TOKEN: credentials.cast.tokens.viewer }
  const { code, stdout, stderr } = await answered(['import', 'deal', file, '--json', ...maps('Name=name')], viewer)
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/viewer|may not/i)
})

test('the real data goes in, and a second time changes nothing', { timeout: 60_000 }, async () => {
  const people = fileURLToPath(new URL('../../examples/data/people.csv', import.meta.url))
  const args = [
    ...maps(
      'First name=name.first_name',
      'Last name=name.last_name',
      'Full name=name.full_name',
      '{External ID}@real.example.com=email_addresses',
      'Job title=job_title',
    ),
    '--match-on',
    'email_addresses',
  ]
  expect((await load('person', people, ...args)).json).toMatchObject({ rows: 537, ...counts(537, 0, 0, 0) })
  expect((await load('person', people, ...args)).json).toMatchObject({ rows: 537, ...counts(0, 0, 537, 0) })
})
