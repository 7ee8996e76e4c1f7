import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { parse } from 'csv-parse/sync'
import { fieldTypes } from '@kontor/contract'
import { answered } from '../cli/kontor.ts'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'
import { schemasOf } from '../harness/schemas.ts'
import { scratchFolder } from '../harness/scratch.ts'
import { isFull } from '../harness/size.ts'
import { listsOf } from './lists.ts'

const app = await startApp()
const records = recordsOf(app, 'memberKey')
const lists = listsOf(app, 'memberKey')
const { make } = schemasOf(app)
const env = {
  KONTOR_BASE_URL: app.baseUrl,
  KONTOR_API_KEY: app.credentials.keys.memberKey!,
  KONTOR_WORKSPACE: 'acme',
}

const signs = ['=', '+', '-', '@', '\t', '＝', "'"]
const lineEnds = ['a\r\nb', 'a\nb', 'a\rb', 'a\n\nb,"c";d']
const hurting = [
  ...signs.flatMap((sign) => [`${sign}x`, `'${sign}x`, `''${sign}x`]),
  ...lineEnds,
  '007',
  '1e5',
  'true',
  'null',
  '""',
  '"',
  "'",
  "'tis",
  ';',
  ', ',
  'a;b',
  '"a;b"',
  '{"a":1}',
  '[1]',
  '\\n',
  '🧶',
]
const run = (text: string, styles: Json = {}): Json => ({ type: 'text', text, styles })
const block = (...content: Json[]): Json => ({ id: 'b', type: 'paragraph', children: [], content })
const items = (...rows: Json[][]): Json[] => rows.map((row) => ({ items: row }))
const options = ['a', 'a;b', 'a, b', '"q"', '=1', "'=1", '-', ';', 'null', '!=x', '007', ' ends ']

/** A field of each type, and values of it that a file could change. */
const fields: Record<string, { readonly schema: Json; readonly values: readonly Json[] }> = {
  text: { schema: {}, values: hurting },
  long_text: { schema: {}, values: [...hurting, '  kept ', '\n=1\n', '\r=1', ' \t x', 'x\r'] },
  rich_text: {
    schema: {},
    values: [
      { text: [block(run('=1;"x"\n', { bold: true })), block(run('{"text":[]}'))] },
      { text: [{ ...block(), children: [block(run(" 'two "))] }] },
    ],
  },
  number: { schema: {}, values: [0, -1.5, 0.0001, 999_999_999_999.9999, -7] },
  currency: { schema: {}, values: [-12.3456, 1250.5] },
  rating: { schema: {}, values: [0, 5] },
  checkbox: { schema: {}, values: [true, false] },
  date: { schema: {}, values: ['0001-01-01', '2024-02-29', '9999-12-31'] },
  timestamp: { schema: {}, values: ['2024-02-29T10:00:00.001Z', '1970-01-01T00:00:00.000Z'] },
  select: { schema: { enum: options }, values: options },
  multi_select: { schema: { enum: options }, values: items(options, ['a;b', 'a'], [' ends '], ['"q"'], ['=1', ';']) },
  email_addresses: { schema: {}, values: items(['a@example.com', "o'x+y@example.com"], ['-x@example.com']) },
  phone_numbers: {
    schema: {},
    values: items(['+12025550143', 'ask; "Joe"'], ['=ask', '+44 20 nobody;'], ["'+ 5"], ['-']),
  },
  domains: { schema: {}, values: items(['example.com', 'b.example.com']) },
  url: { schema: {}, values: ['https://example.com/a;b,"c"?d=1#=', '=x'] },
  location: {
    schema: {},
    values: [
      { city: '=Bern; "x"', geo: { lat: -1.5 } },
      'Bern',
      '"Bern"',
      '{"city":"Bern"}',
      '{"city":',
      ' Bern ',
      '=1',
      '5',
      'null',
      '"',
      'a\r\nb',
    ],
  },
  person_name: {
    schema: {},
    values: [
      { first_name: '=Ada', last_name: "'-L", full_name: 'Ada; "L"' },
      { first_name: null, last_name: null, full_name: '+Ada' },
      { first_name: 'a\nb', last_name: null, full_name: 'a\nb' },
    ],
  },
  labels: {
    schema: {},
    values: [...items(hurting.filter((text) => text === text.trim())), ...items(['a;b'], ['"', 'x'])],
  },
  participants: {
    schema: {},
    values: [
      ...items([
        { email: 'joe@example.com', name: '=Joe; "x"', status: "'a\n", organizer: true },
        { email: 'a@b.example' },
      ]),
      ...items([{ email: "-o'x@example.com", phone_number: '+12025550143' }]),
    ],
  },
  reference: { schema: {}, values: [] },
  user_reference: { schema: {}, values: [app.userIds.member, app.userIds.admin] },
  json: {
    schema: {},
    values: [
      ...hurting,
      5,
      -5,
      1e-7,
      -1e21,
      true,
      false,
      [],
      {},
      [';', null, { a: '=1' }],
      { '=a': [' \r\n '], b: -0.5 },
    ],
  },
  'plain text': { schema: { type: 'string' }, values: hurting },
  'plain object': { schema: { type: 'object' }, values: [{ a: '=1' }] },
  'plain array': { schema: { type: 'array' }, values: [['=1', -1, ';']] },
  'plain choice': { schema: { type: 'string', enum: options }, values: options },
  'plain integer': { schema: { type: ['integer', 'null'] }, values: [-5] },
  'of several types': { schema: { type: ['string', 'number'] }, values: ['=1', '5', 5, -5, '"5"', 'a;b'] },
  'of any type': { schema: { title: 'Any' }, values: ['=1', '5', 5, true, ['=1'], 'true'] },
}
const types = new Set<string>(fieldTypes)
const columns = Object.keys(fields)

/** Makes an object with a field of each kind, and says what it and its fields are called. */
const makeObject = async (back: string): Promise<string> =>
  make({
    code: { xSvcType: 'text', xSvcPrimary: true, xSvcUnique: true },
    ...Object.fromEntries(
      columns.map((name) => [
        nameOf(name),
        types.has(name) ? { xSvcType: name, ...fields[name]!.schema } : fields[name]!.schema,
      ]),
    ),
    reference: { xSvcRelationship: { kind: 'many-to-one', entity: 'company', field: back } },
  })

const nameOf = (kind: string): string => `v_${kind}`.replaceAll(' ', '_').replace('v_reference', 'reference')

const longest = Math.max(...Object.values(fields).map(({ values }) => values.length))

let object: string
let copy: string
let file: string
let given: Json[]

const attributesOf = async (name: string): Promise<Json[]> =>
  (
    await records.list(name, { 'page[limit]': 1000, 'sortOrder[column]': 'code', 'sortOrder[dir]': 'ASC' })
  ).body.data.map(({ attributes }: Json) =>
    Object.fromEntries(Object.entries(attributes).filter(([key]) => !key.startsWith('_'))),
  )

const importInto = async (target: string, ...more: string[]): Promise<Json> => {
  const names = ['code', ...columns.filter((name) => name !== 'person_name').map(nameOf)]
  const parts = ['first_name', 'last_name'].map((part) => `v_person_name.${part}=v_person_name.${part}`)
  const maps = [...names.map((name) => `${name}=${name}`), 'v_person_name=v_person_name.full_name', ...parts]
  const ended = await answered(
    ['import', target, file, '--json', ...maps.flatMap((map) => ['--map', map]), ...more],
    env,
  )
  expect(ended).toMatchObject({ code: 0, stderr: '', json: { rows: longest, rejected: 0 } })
  return ended.json
}

beforeAll(async () => {
  await app.startJobs()
  expect(fieldTypes.filter((type) => fields[type] === undefined)).toEqual([])
  ;[object, copy] = [await makeObject('things'), await makeObject('copies')]
  const company = await records.create('company', { name: '=Acme' })
  const rows = Array.from({ length: longest }, (_, row) => ({
    code: `${signs[row % signs.length]}${String(row).padStart(3, '0')}`,
    ...Object.fromEntries(
      columns.flatMap((name) => {
        const { values } = fields[name]!
        return values.length === 0 ? [] : [[nameOf(name), values[row % values.length]]]
      }),
    ),
    ...(row % 2 === 0 && { reference: company.id }),
  }))
  const made = await records.createMany(object, rows)
  const { id } = await lists.create(object)
  await lists.add(
    object,
    id,
    made.map((one) => one.id as string),
  )
  const exported = await app.api.post(`${lists.path(object, id)}/rows/csv`, { as: 'memberKey' })
  file = join(await scratchFolder(), 'exported.csv')
  await writeFile(file, exported.body)
  given = await attributesOf(object)
  expect(given).toHaveLength(longest)
})

test('what is exported is imported as it was, in every field type', async () => {
  expect(await importInto(copy)).toMatchObject({ created: longest })
  expect(await attributesOf(copy)).toEqual(given)
})

test.runIf(isFull())('what is exported and imported again where it came from changes nothing', async () => {
  expect(await importInto(object, '--match-on', 'code')).toMatchObject({ created: 0, updated: 0, unchanged: longest })
  expect(await attributesOf(object)).toEqual(given)
})

test('empty cells change nothing on upserts, and with --clear-empty they empty what they are mapped to', async () => {
  const target = await make({
    code: { xSvcType: 'text', xSvcPrimary: true, xSvcUnique: true },
    name: { xSvcType: 'person_name' },
    place: { xSvcType: 'location' },
    phones: { xSvcType: 'phone_numbers' },
    about: { xSvcType: 'long_text' },
  })
  const before = {
    name: { first_name: 'Ada', last_name: 'King', full_name: 'Ada King' },
    place: { city: 'Bern', street: 'Ring 1' },
    phones: { items: ['+12025550143', '+12025550144'] },
    about: 'x',
  }
  await records.create(target, { code: 'A', ...before })
  const path = join(await scratchFolder(), 'empty.csv')
  await writeFile(path, 'code,first,last,city,street,home,work,about\nA,Ada,,,Ring 2,,+12025550144,\n')
  const maps = ['code=code', 'first=name.first_name', 'last=name.last_name', 'city=place.city', 'street=place.street']
  const all = [...maps, 'home=phones', 'work=phones', 'about=about']
  const load = async (...more: string[]): Promise<Json> => {
    const flags = [...all.flatMap((map) => ['--map', map]), '--match-on', 'code', ...more]
    const ended = await answered(['import', target, path, '--json', ...flags], env)
    expect(ended).toMatchObject({ code: 0, json: { updated: 1, rejected: 0 } })
    return (await attributesOf(target))[0]
  }
  expect(await load()).toMatchObject({
    ...before,
    place: { city: 'Bern', street: 'Ring 2' },
    phones: { items: expect.arrayContaining(before.phones.items) },
  })
  expect(await load('--clear-empty')).toMatchObject({
    name: { first_name: 'Ada', last_name: null, full_name: 'Ada' },
    place: { street: 'Ring 2' },
    phones: { items: ['+12025550144'] },
    about: null,
  })
})

test('neither cells nor items in them begin as formulas do', async () => {
  const cells: string[][] = parse(await readFile(file, 'utf8'), { record_delimiter: '\r\n' })
  for (const cell of cells.flat()) expect(cell).not.toMatch(/^[=+@\t\r＝＋－＠]|^-(?![\d.e+-]+$)/)
})
