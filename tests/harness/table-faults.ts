import type { TestDatabase } from './database.ts'
import type { Json } from './http.ts'
import { workspaceIdOf } from './stored.ts'
import { claimsOf, isThere, isToMany, kindOf, valueFault } from './reference-values.ts'

type Schema = { readonly object: string; readonly document: Json; readonly keys: Json }
type Stored = { readonly id: string; readonly object: string; readonly deleted_at: number | null; readonly data: Json }

type Count = { readonly object: string; readonly total: number }

/** Names and rows of the tables of one workspace, read by themselves. */
async function readTables(database: TestDatabase, workspaceId: string) {
  const all = <R>(table: string, ...columns: string[]): Promise<R[]> =>
    database.reader.query<R>(({ knex }) => knex(table).select(columns).where('workspace_id', workspaceId), {
      heavy: true,
    })
  const versions = await all<Schema & { version: number; deleted_at: number | null }>(
    'schema_version',
    'object',
    'version',
    'document',
    'keys',
    'deleted_at',
  )
  const newest = [...Map.groupBy(versions, ({ object }) => object).values()].map(
    (some) => some.toSorted((a, b) => b.version - a.version)[0]!,
  )
  return {
    schemas: newest.filter(({ deleted_at }) => deleted_at === null),
    records: await all<Stored>('record', 'id', 'object', 'deleted_at', 'data'),
    claims: await all<{ field: string; key_value: string; record_id: string }>(
      'unique_key',
      'field',
      'key_value',
      'record_id',
    ),
    links: await all<{ relationship: string; from_id: string; to_id: string; hidden_by: string | null }>(
      'link',
      'relationship',
      'from_id',
      'to_id',
      'hidden_by',
    ),
    texts: await all<{ field: string; is_null: number; text_value: string; record_id: string }>(
      'field_text',
      'field',
      'is_null',
      'text_value',
      'record_id',
    ),
    numbers: await all<{ field: string; is_null: number; number_value: number; record_id: string }>(
      'field_number',
      'field',
      'is_null',
      'number_value',
      'record_id',
    ),
    grams: await all<{ field: string; record_id: string }>('field_gram', 'field', 'record_id'),
    states: await all<{ object: string; field: string; kind: string; state: string }>(
      'field_index_state',
      'object',
      'field',
      'kind',
      'state',
    ),
    targets: await all<{ object: string }>('schema_target', 'object'),
    counts: [
      ...(await all<Count>('record_count', 'object', 'total')),
      ...(await all<Omit<Count, 'total'> & { delta: number }>('record_count_delta', 'object', 'delta')).map(
        ({ object, delta }): Count => ({ object, total: delta }),
      ),
    ],
  }
}

type Tables = Awaited<ReturnType<typeof readTables>>

/** An object as its schema says that it is stored. An object that was never changed is stored as it is called. */
type Placed = {
  readonly key: string
  readonly required: readonly string[]
  readonly fields: readonly {
    readonly name: string
    readonly schema: Json
    readonly key: string
    readonly unique: string
    readonly index: string
    readonly link: string | undefined
  }[]
}

const placed = ({ object, document, keys }: Schema): Placed => ({
  key: keys.object ?? object,
  required: document.required ?? [],
  fields: Object.entries<Json>(document.properties).map(([name, schema]) => {
    const own = keys.fields?.[name] ?? { key: name }
    return {
      name,
      schema,
      key: own.key,
      unique: own.unique ?? own.key,
      index: own.index ?? own.key,
      link: own.link?.relationship,
    }
  }),
})

/**
 * Lists what in the tables is not as the schemas say, in words: documents, claims, links and index rows of the objects
 * given must be there exactly as these ask for them. Only for objects made of the types that `reference-values.ts`
 * knows.
 */
export const tableFaultsOf =
  (database: TestDatabase) =>
  async (objects: readonly string[]): Promise<string[]> => {
    const tables = await readTables(database, await workspaceIdOf(database)('acme'))
    const mine = tables.schemas.filter(({ object }) => objects.includes(object)).map(placed)
    return [
      ...tables.targets.map(({ object }) => `${object} is still reserved`),
      ...mine.flatMap((one) => [
        ...documentFaults(tables, one),
        ...claimFaults(tables, one),
        ...indexFaults(tables, one),
      ]),
      ...linkFaults(tables, mine),
      ...countFaults(tables, mine),
    ]
  }

const recordsOf = ({ records }: Tables, { key }: Placed): Stored[] => records.filter(({ object }) => object === key)
const isLive = ({ deleted_at }: Stored): boolean => deleted_at === null

function documentFaults(tables: Tables, one: Placed): string[] {
  const attributes = one.fields.filter(({ schema }) => !isToMany(schema))
  const known = new Set([...attributes.map(({ key }) => key), '_merged_ids'])
  return recordsOf(tables, one).flatMap((record) => [
    ...Object.keys(record.data)
      .filter((key) => !known.has(key))
      .map((key) => `${record.id} still has ${key}`),
    ...(isLive(record)
      ? attributes.flatMap(
          ({ name, key, schema }) =>
            valueFault(schema, record.data[key]) ??
            (one.required.includes(name) && !isThere(record.data[key]) ? [`${record.id} has no ${name}`] : []),
        )
      : []),
  ])
}

/** Lists the items of one list that are missing in the other, either way round. */
function difference(what: string, expected: readonly string[], found: readonly string[]): string[] {
  const [wanted, there] = [new Set(expected), new Set(found)]
  return [
    ...expected.filter((one) => !there.has(one)).map((one) => `${what} is missing: ${one}`),
    ...found.filter((one) => !wanted.has(one)).map((one) => `${what} is too much: ${one}`),
  ]
}

function claimFaults(tables: Tables, one: Placed): string[] {
  const live = recordsOf(tables, one).filter(isLive)
  const expected = one.fields
    .filter(({ schema }) => schema.xSvcUnique === true)
    .flatMap(({ key, unique }) =>
      live.flatMap(({ id, data }) => claimsOf(data[key]).map((value) => `${one.key}.${unique} ${value} ${id}`)),
    )
  const found = tables.claims
    .filter(({ field }) => field.startsWith(`${one.key}.`))
    .map(({ field, key_value, record_id }) => `${field} ${key_value} ${record_id}`)
  return difference('a claim', expected, found)
}

const isNumeric = (kind: string): boolean => kind === 'number' || kind === 'checkbox'

function indexFaults(tables: Tables, one: Placed): string[] {
  const live = recordsOf(tables, one).filter(isLive)
  const states = tables.states.filter(({ object }) => object === one.key)
  const asked = (index: string, kind: string) => states.some((state) => state.field === index && state.kind === kind)
  const expected = one.fields.flatMap(({ key, index, schema }) => {
    const kind = kindOf(schema)
    const ordered = isNumeric(kind) ? 'number' : 'text'
    const field = `${one.key}.${index}`
    const rows =
      (schema.xSvcPrimary === true && ordered === 'text') || asked(index, ordered)
        ? live.flatMap(({ id, data }) => valuesAt(kind, data[key]).map((value) => `${field} ${value} ${id}`))
        : []
    const grams = asked(index, 'grams')
      ? live.filter(({ data }) => isThere(data[key])).map(({ id }) => `${field} grams ${id}`)
      : []
    return [...rows, ...grams]
  })
  const of = <R extends { readonly field: string }>(rows: readonly R[]): R[] =>
    rows.filter(({ field }) => field.startsWith(`${one.key}.`) && !field.startsWith(`${one.key}._`))
  const found = [
    ...of(tables.texts).map(
      ({ field, is_null, text_value, record_id }) =>
        `${field} ${is_null === 1 ? '-' : text_value.toLowerCase()} ${record_id}`,
    ),
    ...of(tables.numbers).map(
      ({ field, is_null, number_value, record_id }) => `${field} ${is_null === 1 ? '-' : number_value} ${record_id}`,
    ),
    ...of(tables.grams).map(({ field, record_id }) => `${field} grams ${record_id}`),
  ]
  const indexes = new Set(one.fields.map(({ index }) => index))
  return [
    ...difference('an index row', expected, found),
    ...states
      .filter(({ field }) => !indexes.has(field) && !field.startsWith('_'))
      .map(({ field, kind }) => `a state is too much: ${one.key}.${field} ${kind}`),
  ]
}

function valuesAt(kind: string, value: Json): string[] {
  if (!isThere(value)) return ['-']
  if (kind === 'number') return [String(value)]
  if (kind === 'checkbox') return [String(Number(value))]
  return kind === 'labels' || kind === 'multi_select'
    ? value.items.map((item: string) => item.toLowerCase())
    : [String(value).toLowerCase()]
}

/**
 * Links of references are those of the documents; those between many and many lie between live records, or wait for
 * one.
 */
function linkFaults(tables: Tables, mine: readonly Placed[]): string[] {
  const keys = mine.map(({ key }) => `${key}.`)
  const names = new Set(mine.flatMap(({ fields }) => fields.flatMap(({ link }) => link ?? [])))
  const live = new Map(tables.records.map((record) => [record.id, isLive(record)]))
  const references = mine.flatMap((one) =>
    one.fields
      .filter(({ schema }) => kindOf(schema) === 'reference' && !isToMany(schema))
      .map((field) => ({ one, field })),
  )
  const expected = references.flatMap(({ one, field }) =>
    recordsOf(tables, one)
      .filter((record) => isLive(record) && isThere(record.data[field.key]))
      .map((record) => `${field.link} ${record.id} ${record.data[field.key]}`),
  )
  const told = new Set(references.map(({ field }) => field.link))
  const links = tables.links.filter(({ relationship }) => keys.some((key) => relationship.startsWith(key)))
  const shown = links.filter(({ hidden_by }) => hidden_by === null)
  return [
    ...links
      .filter(({ relationship }) => !names.has(relationship))
      .map(({ relationship }) => `a link of no relationship: ${relationship}`),
    ...shown
      .filter(({ from_id, to_id }) => live.get(from_id) !== true || live.get(to_id) !== true)
      .map((link) => `shows, but an end is not live: ${JSON.stringify(link)}`),
    ...difference(
      'a link',
      expected,
      shown
        .filter(({ relationship }) => told.has(relationship))
        .map(({ relationship, from_id, to_id }) => `${relationship} ${from_id} ${to_id}`),
    ),
  ]
}

/**
 * The records of an object are counted, and the links of each record: where they lead to, and between many and many at
 * both ends.
 */
function countFaults(tables: Tables, mine: readonly Placed[]): string[] {
  const found = new Map<string, number>()
  for (const { object, total } of tables.counts) found.set(object, (found.get(object) ?? 0) + total)
  const keys = mine.map(({ key }) => `${key}.`)
  const references = new Set(
    mine.flatMap(({ fields }) =>
      fields.flatMap(({ schema, link }) => (kindOf(schema) === 'reference' && !isToMany(schema) ? (link ?? []) : [])),
    ),
  )
  const shown = tables.links.filter(
    ({ relationship, hidden_by }) => hidden_by === null && keys.some((key) => relationship.startsWith(key)),
  )
  const counted = shown.flatMap(({ relationship, from_id, to_id }) => [
    `${relationship}/to_id/${to_id}`,
    ...(references.has(relationship) ? [] : [`${relationship}/from_id/${from_id}`]),
  ])
  const expected = [
    ...mine.map((one) => `${one.key} ${recordsOf(tables, one).filter(isLive).length}`),
    ...[...Map.groupBy(counted, (name) => name)].map(([name, some]) => `${name} ${some.length}`),
  ]
  const isMine = (name: string) =>
    mine.some(({ key }) => key === name) || (name.includes('/') && keys.some((key) => name.startsWith(key)))
  return difference(
    'a count',
    expected,
    [...found].filter(([name, total]) => isMine(name) && total !== 0).map(([name, total]) => `${name} ${total}`),
  )
}
