import type { Json } from '../../harness/http.ts'
import type { Random } from '../../harness/random.ts'
import { isToMany, kindOf } from '../../harness/reference-values.ts'

export const letters = ['a', 'b', 'c', 'd', 'e']
const primary = 'name'

/** Schemas of fields as an admin may add them. */
const fresh = (random: Random): Json =>
  random.pick([
    { xSvcType: 'text' },
    { xSvcType: 'text', maxLength: 3 },
    { xSvcType: 'number' },
    { xSvcType: 'number', minimum: 0, maximum: 5 },
    { xSvcType: 'select', enum: letters },
    { xSvcType: 'multi_select', enum: letters },
    { xSvcType: 'labels', maxItems: 3 },
    { xSvcType: 'checkbox' },
  ])

/** A value for a field, mostly one that fits. */
function randomValue(random: Random, schema: Json, ids: readonly string[]): Json {
  if (random.chance(0.15)) return null
  const letter = (): string => random.pick(letters)
  const values: Readonly<Record<string, () => Json>> = {
    text: () => (random.chance(0.5) ? letter() : random.word(random.between(1, 4))),
    number: () => random.between(0, 9),
    select: letter,
    multi_select: () => ({ items: [...new Set([letter(), letter()])] }),
    labels: () => ({
      items: [...new Set([letter(), random.word(2), letter(), letter()].slice(0, random.between(1, 4)))],
    }),
    checkbox: () => random.chance(0.5),
    reference: () => (ids.length === 0 ? null : random.pick(ids)),
  }
  return values[kindOf(schema)]?.() ?? null
}

/** Attributes for a record: some of the fields, with values as they come. */
export const randomAttributes = (
  random: Random,
  properties: Json,
  ids: (object: string) => readonly string[],
  all = false,
): Json =>
  Object.fromEntries(
    Object.entries<Json>(properties)
      .filter(([, schema]) => !isToMany(schema) && (all || random.chance(0.5)))
      .map(([name, schema]) => [name, randomValue(random, schema, ids(schema.xSvcRelationship?.entity ?? ''))]),
  )

type Change = (random: Random, document: Json, others: readonly string[]) => string | undefined

/** A field that is neither primary nor one end of a relationship. */
function plain(
  random: Random,
  { properties }: Json,
  wanted: (schema: Json) => boolean = () => true,
): string | undefined {
  const names = Object.keys(properties).filter(
    (name) =>
      properties[name].xSvcPrimary !== true && kindOf(properties[name]) !== 'reference' && wanted(properties[name]),
  )
  return names.length === 0 ? undefined : random.pick(names)
}

let serial = 0

/** Changes of a document in place; undefined where there is nothing of the kind to change, else what was done. */
const changes: Readonly<Record<string, Change>> = {
  add(random, document) {
    const name = random.chance(0.3) ? `again_${random.below(3)}` : `f_${++serial}`
    if (document.properties[name] !== undefined) return undefined
    document.properties[name] = fresh(random)
    return name
  },
  drop(random, document) {
    const name = plain(random, document)
    if (name === undefined) return undefined
    delete document.properties[name]
    document.required = (document.required ?? []).filter((one: string) => one !== name)
    return name
  },
  rename(random, document) {
    const old = random.chance(0.2)
      ? Object.keys(document.properties).find((one) => document.properties[one].xSvcPrimary === true)
      : plain(random, document)
    if (old === undefined) return undefined
    const name = `r_${++serial}`
    document.properties = Object.fromEntries(
      Object.entries<Json>(document.properties).map(([field, schema]) =>
        field === old ? [name, { ...schema, xSvcPrevName: old }] : [field, schema],
      ),
    )
    document.required = (document.required ?? []).map((one: string) => (one === old ? name : one))
    return `${old} to ${name}`
  },
  retype(random, document) {
    const name = plain(random, document)
    if (name === undefined) return undefined
    document.properties[name] = random.pick([
      { xSvcType: 'text' },
      { xSvcType: 'select', enum: letters },
      { xSvcType: 'number' },
      { xSvcType: 'labels' },
      { xSvcType: 'multi_select', enum: letters },
    ])
    return name
  },
  tighten(random, document) {
    const name = plain(random, document, (schema) => ['text', 'number', 'labels'].includes(kindOf(schema)))
    if (name === undefined) return undefined
    const schema = document.properties[name]
    const bound = { text: 'maxLength', number: 'maximum', labels: 'maxItems' }[kindOf(schema)] as string
    document.properties[name] = { ...schema, [bound]: random.between(2, 8) }
    return `${name}, ${bound}`
  },
  loosen(random, document) {
    const name = plain(random, document, (schema) =>
      ['maxLength', 'minimum', 'maximum', 'maxItems'].some((keyword) => schema[keyword] !== undefined),
    )
    if (name === undefined) return undefined
    for (const keyword of ['maxLength', 'minimum', 'maximum', 'maxItems']) delete document.properties[name][keyword]
    return name
  },
  unique(random, document) {
    const name = plain(random, document, (schema) => ['text', 'number', 'labels'].includes(kindOf(schema)))
    if (name === undefined) return undefined
    const schema = document.properties[name]
    if (schema.xSvcUnique === true) delete schema.xSvcUnique
    else schema.xSvcUnique = true
    return `${name}, ${schema.xSvcUnique}`
  },
  require(random, document) {
    const name = plain(random, document)
    const required: string[] = document.required ?? []
    if (required.length > 0) document.required = []
    else if (name !== undefined) document.required = [name]
    return document.required?.join(', ')
  },
  options(random, document) {
    const name = plain(random, document, (schema) => schema.enum !== undefined)
    if (name === undefined) return undefined
    const schema = document.properties[name]
    const some: string[] = letters.filter(() => random.chance(0.7))
    schema.enum = some.length === 0 ? ['a'] : some
    return `${name}, ${schema.enum}`
  },
  primary(random, document) {
    const old = Object.keys(document.properties).find((one) => document.properties[one].xSvcPrimary === true)
    const name = plain(random, document, (schema) => kindOf(schema) === 'text' || kindOf(schema) === 'select')
    if (name === undefined || old === undefined) return undefined
    delete document.properties[old].xSvcPrimary
    document.properties[name].xSvcPrimary = true
    return name
  },
  relate(random, document, others) {
    const name = `to_${++serial}`
    const kind = random.pick(['many-to-one', 'one-to-many', 'many-to-many'])
    document.properties[name] = {
      xSvcType: 'reference',
      xSvcRelationship: { kind, entity: random.pick(others), field: `back_${serial}` },
    }
    return `${name}, ${kind}`
  },
  unrelate(random, document) {
    const names = Object.keys(document.properties).filter(
      (one) =>
        kindOf(document.properties[one]) === 'reference' &&
        document.properties[one].xSvcRelationship.entity !== document.title,
    )
    if (names.length === 0) return undefined
    const name = random.pick(names)
    delete document.properties[name]
    return name
  },
}

/** Changes a document, in one way or in two; what was done, in words. */
export function evolve(random: Random, document: Json, others: readonly string[]): string {
  const done: string[] = []
  while (done.length === 0 || random.chance(0.25)) {
    const kind = random.pick(Object.keys(changes))
    const what = changes[kind]?.(random, document, others)
    if (what !== undefined) done.push(`${kind} ${what}`)
  }
  return done.join(' and ')
}

export const firstProperties = {
  [primary]: { xSvcType: 'text', xSvcPrimary: true },
  v: { xSvcType: 'text' },
  n: { xSvcType: 'number' },
  s: { xSvcType: 'select', enum: letters },
}
