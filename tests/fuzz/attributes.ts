import { operators, scopes } from '@kontor/contract'
import type { Json } from '../harness/http.ts'
import { hostileText } from './hostile-texts.ts'
import { hostileValue } from './hostile.ts'
import type { Random } from '../harness/random.ts'
import type { Words } from './words.ts'

const day = (random: Random): string => `20${random.between(10, 40)}-0${random.between(1, 9)}-1${random.below(10)}`
const instant = (random: Random): string => `${day(random)}T09:30:00.${random.between(100, 999)}Z`
const sentence = (random: Random): string =>
  random.pick([
    'Hello',
    'Rear admiral',
    'ACME & Söhne',
    'O’Brien',
    '株式会社',
    'a b c',
    'x*y',
    '50% off',
    'ﬁnance',
    random.word(),
  ])
const number = (random: Random): number => random.pick([0, 1, -1, 2.5, 1000, 99.99, 0.0001, random.below(1_000_000)])
/** From few, so that some are taken already. */
const address = (random: Random): string => `person-${random.below(400)}@example.com`
const items = (random: Random, item: () => Json): Json => ({ items: Array.from({ length: random.below(4) }, item) })

export const paragraphs = (random: Random): Json => [
  {
    type: random.pick(['paragraph', 'heading', 'quote', 'callout']),
    content: [
      { type: 'text', text: sentence(random) },
      ...(random.chance(0.3) ? [{ type: 'mention', entity: 'user', id: 'x' }] : []),
    ],
  },
]

type Maker = (random: Random, words: Words, field: Json) => Json

/** A value that is right, by the type of its field. */
const valueByType: Readonly<Record<string, Maker>> = {
  text: sentence,
  long_text: sentence,
  url: (random) => `https://example.com/${random.word()}`,
  rich_text: (random) => ({ text: paragraphs(random) }),
  number,
  currency: number,
  rating: (random) => random.below(6),
  checkbox: (random) => random.chance(0.5),
  date: day,
  timestamp: instant,
  select: (random, _words, field) => random.pick(field.enum ?? ['x']),
  multi_select: (random, _words, field) => items(random, () => random.pick(field.enum ?? ['x'])),
  email_addresses: (random) => items(random, () => address(random)),
  phone_numbers: (random) => items(random, () => `+1202555${random.between(1000, 9999)}`),
  domains: (random) => items(random, () => `company-${random.below(400)}.example`),
  labels: (random) => items(random, () => sentence(random)),
  participants: (random) => items(random, () => address(random)),
  location: (random) =>
    random.pick<Json>(['Berlin', { city: sentence(random), country: 'DE', at: [number(random), number(random)] }]),
  person_name: (random) => ({ first_name: sentence(random), last_name: random.pick([sentence(random), null]) }),
  reference: (random, words, field) => words.id(random, field.xSvcRelationship?.entity ?? ''),
  user_reference: (random, words) => words.id(random, 'users'),
  json: (random) => random.pick<Json>([{ a: [1, { b: null }] }, 'text', 5, []]),
}

const isToMany = ({ xSvcRelationship }: Json): boolean =>
  ['one-to-many', 'many-to-many'].includes(xSvcRelationship?.kind)
const typeOf = (field: Json): string =>
  field?.xSvcType ?? (field?.xSvcRelationship === undefined ? 'json' : 'reference')
const writable = (words: Words, object: string) =>
  Object.entries(words.fields(object)).filter(([, field]) => field.readOnly !== true && !isToMany(field))

const valueOf: Maker = (random, words, field) => valueByType[typeOf(field)]?.(random, words, field) ?? sentence(random)

/** Attributes of a record: what its object requires, and some more; now and then a value that its type may not take. */
export function attributesOf(object: string, random: Random, words: Words): Json {
  const required: readonly string[] = words.objects.get(object)?.required ?? []
  const wanted = writable(words, object).filter(([name]) => required.includes(name) || random.chance(0.3))
  return Object.fromEntries(
    wanted.map(([name, field]) => [
      name,
      random.chance(0.05) && !required.includes(name)
        ? null
        : random.chance(0.03)
          ? hostileValue(random)
          : valueOf(random, words, field),
    ]),
  )
}

export function relationshipsOf(object: string, random: Random, words: Words): Json {
  const named = Object.entries(words.fields(object)).filter(
    ([, { xSvcRelationship }]) => xSvcRelationship !== undefined,
  )
  if (named.length === 0) return {}
  const [name, field] = random.pick(named)
  const { entity } = field.xSvcRelationship
  const one = () => ({ type: entity, id: words.id(random, entity) })
  return {
    [name]: { data: isToMany(field) ? Array.from({ length: random.below(4) }, one) : random.pick([one(), null]) },
  }
}

const textual = ['Is', 'Is not', 'Contains', 'Does not contain', 'Starts with', 'Ends with']
const numeric = ['Is', 'Is not', 'Greater than', 'Greater than or equal', 'Less than', 'Less than or equal', 'One of']
const temporal = ['Is', 'Is not', 'Is before', 'Is on or before', 'Is after', 'Is on or after', 'Within']
const chosen = ['Is', 'Is not', 'One of', 'Not one of']
const collected = ['Contains', 'Does not contain']

const operatorsByType: Readonly<Record<string, readonly string[]>> = {
  text: textual,
  long_text: textual,
  url: textual,
  person_name: textual,
  number: numeric,
  currency: numeric,
  rating: numeric,
  checkbox: ['Is', 'Is not'],
  date: temporal,
  timestamp: temporal,
  select: chosen,
  multi_select: collected,
  email_addresses: collected,
  phone_numbers: collected,
  domains: collected,
  labels: collected,
  participants: collected,
  location: collected,
  reference: ['Is', 'Is not', 'One of'],
  user_reference: ['Is', 'Is not', 'One of'],
  json: [],
  rich_text: [],
}

type Condition = { readonly field: string; readonly op: string; readonly value: Json }

const periods = ['today', 'this_quarter', 'last_year', '-30d', '+2w']

/** A condition that a list of the object takes, mostly; one in five compares with a hostile text. */
export function conditionOf(object: string, random: Random, words: Words): Condition {
  const field = words.field(random, object)
  const schema = words.fields(object)[field] ?? { xSvcType: field.endsWith('_at') ? 'timestamp' : 'user_reference' }
  const [name, end] =
    schema.xSvcRelationship !== undefined && random.chance(0.4) ? along(field, schema, random, words) : [field, schema]
  const fitting = [...(operatorsByType[typeOf(end)] ?? textual), 'Is empty', 'Is not empty']
  const op = random.chance(0.15)
    ? random.pick([...Object.keys(operators), ...Object.values(operators).flat(), random.word()])
    : random.pick(fitting)
  const made = random.chance(0.2)
    ? hostileText(random)
    : op === 'Within'
      ? random.pick(periods)
      : valueOf(random, words, end)
  const [one] = made?.items ?? [made]
  const scalar: Json = typeof one === 'object' && one !== null ? sentence(random) : (one ?? null)
  return { field: name, op, value: op.endsWith('ne of') ? [scalar, scalar] : scalar }
}

/** A path along a reference to a field of the record at its other end. */
function along(field: string, { xSvcRelationship: { entity } }: Json, random: Random, words: Words): [string, Json] {
  const last = words.field(random, entity)
  return [`${field}.${last}`, words.fields(entity)[last] ?? { xSvcType: 'timestamp' }]
}

const shorthands = ['>5', '<=2026-01-31', '!=x', '*adm*', 'Rear*', 'a,b', 'null', '!null']

/** `filter[…]` of a query string: by field a value, or values by operator. */
export function filterQueryOf(object: string, random: Random, words: Words): Json {
  const conditions = Array.from({ length: random.between(1, 3) }, () => conditionOf(object, random, words))
  return Object.fromEntries(
    conditions.map(({ field, op, value }) => [
      field,
      random.chance(0.3) ? random.pick([value, random.pick(shorthands)]) : { [op]: value },
    ]),
  )
}

/** Texts for members of any body, by what the member is called. */
export const textByName: Readonly<Record<string, (random: Random) => string>> = {
  scopes: (random) => random.pick(scopes),
  text: sentence,
  name: sentence,
  since: instant,
  expires_at: (random) => `20${random.between(40, 60)}-01-31T09:30:00.000Z`,
}

export { sentence, instant }
