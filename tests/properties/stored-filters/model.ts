import type { Json } from '../../harness/http.ts'
import type { Random } from '../../harness/random.ts'

/** A field by what stays when it is renamed; undefined options are those of no select. */
export type DrawnField = {
  readonly key: string
  readonly name: string
  readonly kind: Kind
  readonly options: readonly string[]
}
type Kind = 'select' | 'tags' | 'text' | 'whole'
type Values = Readonly<Record<string, readonly string[]>>

/** A schema with records: of an object, and of one that it refers to. */
export type Drawn = {
  readonly own: readonly DrawnField[]
  readonly whole: readonly DrawnField[]
  readonly wholes: readonly Values[]
  readonly records: readonly { readonly values: Values; readonly whole: number | undefined }[]
}

/** Options that look like something else: lists, parts of one another, signs and words of shorthands. */
const words = [
  'a',
  'b',
  'a,b',
  'b, a',
  ',',
  'null',
  '!null',
  '!=a',
  '*a*',
  '>5',
  '"a"',
  `it's`,
  '"a,b"',
  '5',
  'A',
  'c\\,d',
  '{"x":1}',
]
const names = ['stage', 'phase', 'tags', 'note', 'part_of', 'size', 'kind', 'level']

const someOf = <T>(random: Random, items: readonly T[], least: number): T[] => {
  const shuffled = items.map((item) => [random.next(), item] as const).toSorted(([one], [other]) => one - other)
  return shuffled.slice(0, random.between(least, items.length)).map(([, item]) => item)
}

function drawFields(random: Random, kinds: readonly Kind[]): DrawnField[] {
  const free = someOf(random, names, names.length)
  return kinds.map((kind, index) => ({
    key: `${kind}${index}`,
    name: free[index]!,
    kind,
    options: kind === 'select' || kind === 'tags' ? someOf(random, words, 5) : [],
  }))
}

const drawValues = (random: Random, fields: readonly DrawnField[]): Values =>
  Object.fromEntries(
    fields.map(({ key, kind, options }) => [
      key,
      kind === 'whole' || random.chance(0.15)
        ? []
        : kind === 'tags'
          ? someOf(random, options, 1).slice(0, 3)
          : [random.pick(kind === 'text' ? words : options)],
    ]),
  )

export function draw(random: Random): Drawn {
  const own = drawFields(random, ['select', 'select', 'tags', 'text', 'whole'])
  const whole = drawFields(random, ['select', 'tags'])
  return {
    own,
    whole,
    wholes: Array.from({ length: 4 }, () => drawValues(random, whole)),
    records: Array.from({ length: 14 }, () => ({
      values: drawValues(random, own),
      whole: random.chance(0.8) ? random.below(4) : undefined,
    })),
  }
}

/** The names of fields by their kind. */
export const namesIn = (fields: readonly DrawnField[]): Partial<Record<Kind, string>> =>
  Object.fromEntries(fields.map(({ kind, name }) => [kind, name]))

/** The properties of a schema; with those of before, fields follow their names. */
export const propertiesOf = (fields: readonly DrawnField[], target: string, before: readonly DrawnField[] = []): Json =>
  Object.fromEntries(
    fields.map(({ key, name, kind, options }) => {
      const was = before.find((one) => one.key === key)
      const schema =
        kind === 'text'
          ? { type: 'string' }
          : kind === 'whole'
            ? { xSvcRelationship: { kind: 'many-to-one', entity: target, field: `parts_of_${target}` } }
            : { xSvcType: kind === 'tags' ? 'multi_select' : 'select', enum: options }
      return [name, { ...schema, ...(was !== undefined && was.name !== name && { xSvcPrevName: was.name }) }]
    }),
  )

export const spelled = (fields: readonly DrawnField[], values: Values): Json =>
  Object.fromEntries(
    fields.flatMap(({ key, name, kind }) => {
      const [first, ...more] = values[key] ?? []
      return first === undefined ? [] : [[name, kind === 'tags' ? { items: [first, ...more] } : first]]
    }),
  )

/** Another schema: names go round among the fields, one field may go, some options do. */
export function alter(random: Random, drawn: Drawn, object: string): Drawn {
  const change = (fields: readonly DrawnField[]): DrawnField[] => {
    const gone = random.chance(0.5) ? random.pick(fields.filter(({ kind }) => kind !== 'whole')).key : ''
    const shift = random.below(fields.length)
    const free = fields.map((_, index) => fields[(index + shift) % fields.length]!.name)
    if (random.chance(0.3)) free[random.below(free.length)] = object
    return fields
      .map((field, index) => ({
        ...field,
        name: free[index]!,
        options: random.chance(0.7) ? keptOf(random, field.options) : field.options,
      }))
      .filter(({ key }) => key !== gone)
  }
  return { ...drawn, own: change(drawn.own), whole: change(drawn.whole) }
}

const keptOf = (random: Random, options: readonly string[]): readonly string[] => {
  const kept = options.filter(() => random.chance(0.5))
  return kept.length > 0 ? kept : options
}

const left = (fields: readonly DrawnField[], values: Values): Values =>
  Object.fromEntries(
    fields.map(({ key, kind, options }) => [
      key,
      (values[key] ?? []).filter((value) => kind === 'text' || options.includes(value)),
    ]),
  )

/** The records as they are once options are gone. */
export const withoutGone = (drawn: Drawn): Drawn => ({
  ...drawn,
  wholes: drawn.wholes.map((values) => left(drawn.whole, values)),
  records: drawn.records.map(({ values, whole }) => ({ values: left(drawn.own, values), whole })),
})

/** A filter that knows its fields by key. */
export type Tree = {
  readonly spell: (drawn: Drawn, lead: string) => Json
  readonly holds: (drawn: Drawn, values: Values, whole: Values | undefined) => boolean
  readonly isBroken: (drawn: Drawn) => boolean
}

export function drawTree(random: Random, drawn: Drawn, depth: number): Tree {
  // The greatest depth of a filter is five; conditions at the bottom of one must be as good as others.
  if (depth === 4 || random.chance(depth === 0 ? 0.4 : 0.3)) return drawLeaf(random, drawn)
  if (random.chance(0.3)) {
    const part = drawTree(random, drawn, depth + 1)
    return {
      spell: (...given) => ({ not: part.spell(...given) }),
      holds: (...given) => !part.holds(...given),
      isBroken: part.isBroken,
    }
  }
  const parts = Array.from({ length: random.between(1, 3) }, () => drawTree(random, drawn, depth + 1))
  const word = random.chance(0.5) ? 'and' : 'or'
  return {
    spell: (...given) => ({ [word]: parts.map((part) => part.spell(...given)) }),
    holds: (...given) =>
      word === 'and' ? parts.every((part) => part.holds(...given)) : parts.some((part) => part.holds(...given)),
    isBroken: (now) => parts.some((part) => part.isBroken(now)),
  }
}

const fold = (text: string): string => text.toLowerCase()

type Test = (held: readonly string[], asked: readonly string[]) => boolean
const isAny: Test = (held, asked) => asked.some((one) => held.includes(one))
const hasAny: Test = (held, asked) => asked.some((one) => held.some((value) => fold(value).includes(fold(one))))
const isAnyText: Test = (held, asked) => isAny(held.map(fold), asked.map(fold))

/** By kind, each operator with its test, and whether it takes several values, one, or none. */
const operators: Record<Exclude<Kind, 'whole'>, readonly (readonly [string, Test, 'many' | 'one' | 'none'])[]> = {
  select: [
    ['Is', isAny, 'one'],
    ['eq', isAny, 'many'],
    ['Is not', (held, asked) => !isAny(held, asked), 'one'],
    ['ne', (held, asked) => !isAny(held, asked), 'many'],
    ['One of', isAny, 'many'],
    ['in', isAny, 'one'],
    ['Not one of', (held, asked) => !isAny(held, asked), 'many'],
    ['nin', (held, asked) => !isAny(held, asked), 'one'],
    ['Is empty', (held) => held.length === 0, 'none'],
    ['not_null', (held) => held.length > 0, 'none'],
  ],
  tags: [
    ['Is', isAny, 'many'],
    ['Is not', (held, asked) => !isAny(held, asked), 'many'],
    ['Contains', hasAny, 'many'],
    ['ncontains', (held, asked) => !hasAny(held, asked), 'one'],
    ['Is empty', (held) => held.length === 0, 'none'],
  ],
  text: [
    ['Is', isAnyText, 'one'],
    ['Contains', hasAny, 'one'],
  ],
}

const nameOf = (fields: readonly DrawnField[], key: string): string => fields.find((one) => one.key === key)!.name

function drawLeaf(random: Random, drawn: Drawn): Tree {
  const isFar = random.chance(0.3)
  const field = random.pick((isFar ? drawn.whole : drawn.own).filter(({ kind }) => kind !== 'whole'))
  const [op, test, takes] = random.pick(operators[field.kind as Exclude<Kind, 'whole'>])
  const pool = field.kind === 'text' ? words : field.options
  const several = someOf(random, pool, 1).slice(0, 3)
  const values = takes === 'many' ? several : [random.pick(pool)]
  const reference = drawn.own.find(({ kind }) => kind === 'whole')!.key
  return {
    spell: (now, lead) => ({
      field: [
        ...(lead === '' ? [] : [lead]),
        ...(isFar ? [nameOf(now.own, reference), nameOf(now.whole, field.key)] : [nameOf(now.own, field.key)]),
      ].join('.'),
      op,
      ...(takes !== 'none' && { value: takes === 'many' ? values : values[0] }),
    }),
    // A path behind no reference is not empty, and it is not something either.
    holds: (_, own, whole) =>
      isFar && whole === undefined
        ? op !== 'not_null' && test([], values)
        : test((isFar ? whole! : own)[field.key]!, values),
    isBroken: (now) => (isFar ? now.whole : now.own).every(({ key }) => key !== field.key),
  }
}
