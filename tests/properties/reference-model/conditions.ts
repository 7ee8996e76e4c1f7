import fc from 'fast-check'
import type { Json } from '../../harness/http.ts'
import { unknownId } from '../../harness/records.ts'
import { aliasesOf, objects, operators, systemFields, type Field } from './fields.ts'
import type { Leaf, Tree } from './evaluate.ts'
import { periodNames } from './periods.ts'
import { addresses, datesAround, domains, instantsAround, numbers, phones } from './seed.ts'
import { seenOf, texts } from './texts.ts'
import type { World } from './values.ts'

/** The source of values: the world, and the instant of the clock. */
export type Setting = { readonly world: World; readonly now: number }

const variants: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.toUpperCase(),
  (text) => text.toLowerCase(),
  (text) => text.normalize('NFD'),
  (text) => text.normalize('NFC'),
  (text) => text.normalize('NFKC'),
]

/** A text of the pool, a part of one, or one spelled otherwise. */
const someText = (atLeast: 0 | 1): fc.Arbitrary<string> =>
  fc
    .tuple(fc.constantFrom(...texts), fc.constantFrom(...variants), fc.nat(4), fc.nat(4), fc.boolean())
    .map(([text, vary, start, length, isWhole]) =>
      vary(isWhole ? text : [...text].slice(start, start + length + 1).join('')),
    )
    .filter((text) => text.length >= atLeast && text.isWellFormed())

const spans = fc
  .tuple(
    fc.constantFrom('+', '-'),
    fc.constantFrom(0, 1, 2, 3, 7, 12, 30, 90, 365),
    fc.constantFrom('h', 'd', 'w', 'm', 'q', 'y'),
  )
  .map((parts) => parts.join(''))

const itemPools: Readonly<Record<string, readonly string[]>> = {
  email: [
    'person.0@example.com',
    'PERSON.3@EXAMPLE.COM',
    'ß6@bücher.example',
    'ß6@xn--bcher-kva.example',
    'unknown@example.com',
    'nonsense',
  ],
  phone: [...phones, '555'],
  participant: [...addresses, 'example', 'ADA@', 'unknown@example.com', 'nonsense', '@xn--bcher-kva.example'],
  domain: [...domains, 'EXAMPLE.COM.', 'xn--bcher-kva.example', 'example'],
}

/** The same instant, as it is written two hours further east. */
const zoned = (iso: string): string => `${new Date(Date.parse(iso) + 7_200_000).toISOString().slice(0, 23)}+02:00`

/** One value that a condition on a field may have, whatever its operator. */
function valueFor({ kind, options, items, to, name }: Field, op: string, { world, now }: Setting): fc.Arbitrary<Json> {
  if (op === 'Within') return fc.oneof(fc.constantFrom(...periodNames), spans)
  if (kind === 'text' || kind === 'location') return someText(0)
  if (kind === 'number') return fc.constantFrom(...numbers, 3, -7.25)
  if (kind === 'date') return fc.constantFrom(...datesAround(now))
  if (kind === 'timestamp')
    return fc.constantFrom(
      ...datesAround(now),
      ...instantsAround(now),
      ...instantsAround(now)
        .filter((iso) => iso > '1' && iso < '9999')
        .map(zoned),
    )
  if (kind === 'flag') return fc.constantFrom(true, false, 'true', 'false')
  if (kind === 'select' || items === 'role') return fc.constantFrom(...options!)
  if (kind === 'items')
    return items === 'text' ? someText(1).filter((text) => seenOf(text) !== '') : fc.constantFrom(...itemPools[items!]!)
  const ids =
    name === '_id'
      ? Object.values(world).flatMap((records) => [...records.keys()])
      : [...(world[to ?? 'user']?.keys() ?? [])]
  return fc.constantFrom(...ids, unknownId, 'nonsense')
}

/** Where a path may end: up to three references away. */
const placeIn = (object: string, depth = 0): fc.Arbitrary<{ path: string[]; field: Field }> => {
  const own = fc.constantFrom(...objects[object]!, ...systemFields).map((field) => ({ path: [] as string[], field }))
  const references = objects[object]!.filter(({ to }) => to !== undefined)
  if (depth === 3 || references.length === 0) return own
  const along = fc
    .constantFrom(...references)
    .chain(({ name, to }) => placeIn(to!, depth + 1).map(({ path, field }) => ({ path: [name, ...path], field })))
  return fc.oneof({ arbitrary: own, weight: 3 }, { arbitrary: along, weight: 1 })
}

const manyValued = new Set(['One of', 'Not one of'])
const valueless = new Set(['Is empty', 'Is not empty', 'Is set', 'Is not set'])

/** `several`: also more than one value where the operator takes one, as a tree may say. */
export const conditionOn = (
  place: { path: string[]; field: Field },
  op: string,
  setting: Setting,
  several: boolean,
): fc.Arbitrary<Leaf> => {
  const leaf = { path: place.path, field: place.field.name, op }
  if (valueless.has(op)) return fc.constant({ ...leaf, value: null })
  const one = valueFor(place.field, op, setting)
  const many = fc.array(one, { minLength: 1, maxLength: 3 })
  const value = manyValued.has(op)
    ? many
    : several && op !== 'Within'
      ? fc.oneof({ arbitrary: one, weight: 4 }, { arbitrary: many, weight: 1 })
      : one
  return value.map((chosen) => ({ ...leaf, value: chosen }))
}

export const conditionIn = (object: string, setting: Setting, several = false): fc.Arbitrary<Leaf> =>
  placeIn(object).chain((place) =>
    fc.constantFrom(...operators[place.field.kind]).chain((op) => conditionOn(place, op, setting, several)),
  )

/** Trees of up to five groups one in another. */
export function treeIn(object: string, setting: Setting, depth = 5): fc.Arbitrary<Tree> {
  const leaf = conditionIn(object, setting, true)
  if (depth === 0) return leaf
  const inner = treeIn(object, setting, depth - 1)
  const parts = fc.array(inner, { minLength: 1, maxLength: 3 })
  return fc.oneof(
    { arbitrary: leaf, weight: 2 },
    parts.map((and) => ({ and })),
    parts.map((or) => ({ or })),
    inner.map((not) => ({ not })),
  )
}

export const countOf = (tree: Tree): number =>
  'and' in tree
    ? tree.and.reduce((sum, part) => sum + countOf(part), 0)
    : 'or' in tree
      ? tree.or.reduce((sum, part) => sum + countOf(part), 0)
      : 'not' in tree
        ? countOf(tree.not)
        : 1

/** A leaf as a body spells it, with or without the leading object, by name or alias. */
export const spelledField = ({ path, field }: Leaf, lead: string | undefined): string =>
  [...(lead === undefined ? [] : [lead]), ...path, field].join('.')

export function spelledTree(tree: Tree): Json {
  if ('and' in tree) return { and: tree.and.map(spelledTree) }
  if ('or' in tree) return { or: tree.or.map(spelledTree) }
  if ('not' in tree) return { not: spelledTree(tree.not) }
  return { field: spelledField(tree, undefined), op: tree.op, ...(tree.value !== null && { value: tree.value }) }
}

export const spellingsOf = (op: string): string[] => [op, ...aliasesOf(op)]

const comparisons: Readonly<Record<string, readonly [string, string]>> = {
  '>': ['Greater than', 'Is after'],
  '>=': ['Greater than or equal', 'Is on or after'],
  '<': ['Less than', 'Is before'],
  '<=': ['Less than or equal', 'Is on or before'],
}

/** A bare value and the condition that it stands for. */
export function shorthandIn(
  object: string,
  setting: Setting,
): fc.Arbitrary<{ readonly bare: string; readonly leaf: Leaf }> {
  return placeIn(object).chain(({ path, field }) => {
    const { kind, items } = field
    const meaning = (op: string, value: Json, bare: string) => ({ bare, leaf: { path, field: field.name, op, value } })
    const positive = kind === 'location' ? 'Contains' : 'Is'
    const negative = kind === 'location' ? 'Does not contain' : 'Is not'
    const value = kind === 'rich' ? fc.constant('') : valueFor(field, positive, setting).map(String)
    const plain = value
      .filter(
        (text) =>
          !/^(!?null$|!=)/.test(text) &&
          !(kind === 'text' && /^\*|\*$/.test(text)) &&
          !(kind === 'items' && /^\*.+\*$/s.test(text)) &&
          !(kind === 'id' && text.includes(',')),
      )
      .map((text) => meaning(positive, text, text))
    const denied = value.filter((text) => text === text.trim()).map((text) => meaning(negative, text, `!=${text}`))
    const empty = kind === 'flag' ? ['Is not set', 'Is set'] : ['Is empty', 'Is not empty']
    const emptiness = fc.constantFrom(meaning(empty[0]!, null, 'null'), meaning(empty[1]!, null, '!null'))
    if (kind === 'rich') return emptiness
    if (kind === 'location') return fc.oneof(plain, denied)
    const all = [plain, denied, emptiness]
    if (kind === 'number' || kind === 'date' || kind === 'timestamp') {
      all.push(
        fc
          .tuple(value, fc.constantFrom(...Object.keys(comparisons)), fc.constantFrom('', ' '))
          .map(([text, sign, space]) =>
            meaning(comparisons[sign]![kind === 'number' ? 0 : 1], text, sign + space + text),
          ),
      )
    }
    if (kind === 'text') {
      const stars = fc.constantFrom(['*', '*', 'Contains'], ['', '*', 'Starts with'], ['*', '', 'Ends with'])
      all.push(
        fc
          .tuple(
            someText(1).filter((text) => !/^[*]|[*]$|^!=/.test(text)),
            stars,
          )
          .map(([text, [before, after, op]]) => meaning(op, text, before + text + after)),
      )
    }
    if (kind === 'select' || kind === 'id' || items === 'role') {
      all.push(
        fc
          .array(
            value.filter((text) => !text.startsWith('!')),
            { minLength: 2, maxLength: 3 },
          )
          .map((list) => meaning(items === 'role' ? 'Is' : 'One of', list, list.join(','))),
      )
    }
    return fc.oneof(...all)
  })
}

export const fieldsOf = (object: string): Field[] => [...objects[object]!, ...systemFields]
