import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { parse } from 'csv-parse/sync'
import { fieldTypes } from '@kontor/contract'
import { answered } from '../cli/kontor.ts'
import { startApp } from '../harness/app.ts'
import { fieldValues, signs } from '../harness/field-values.ts'
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

const fields = fieldValues([app.userIds.member, app.userIds.admin])
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
