import type { Json } from '../harness/http.ts'
import { hostileText, inheritedNames } from './hostile-texts.ts'
import { hostileValue } from './hostile.ts'
import { at, changed, jsonText, pathsOf, RawJson, type Path } from './json-text.ts'
import type { Random } from '../harness/random.ts'
import type { Words } from './words.ts'

/** Turns a value that is right into one that is nearly so. */
type Change = (value: Json, random: Random, words: Words) => Json

const isText = (value: Json): value is string => typeof value === 'string'

const textChanges: readonly Change[] = [
  (text) => `${text} `,
  (text) => ` ${text}`,
  (text) => `${text}\0`,
  (text) => text.toUpperCase(),
  (text) => text.slice(0, -1),
  (text) => text.slice(1),
  (text) => `{${text}}`,
  (text) => `urn:uuid:${text}`,
  (text) => text.replaceAll('-', ''),
  (text) => text.repeat(2),
  (text) => text.repeat(40),
  (text) => [text],
  (text) => ({ [text]: text }),
  (text) => Number(text),
  (text, random) =>
    text.slice(0, random.below(text.length + 1)) + hostileText(random) + text.slice(random.below(text.length + 1)),
  (text, random) =>
    replacedAt(text, random.below(text.length + 1), random.pick(['A', '0', '-', '_', '\u0000', 'é', '"', '%'])),
  (_text, random, words) => words.anyId(random),
  (_text, random, words) => words.foreignId(random),
  (_text, random, words) => words.foreignText(random),
  (_text, random, words) => words.cursor(random),
  (_text, random, words) => words.object(random),
  (_text, random, words) => words.field(random, words.object(random)),
]

const replacedAt = (text: string, index: number, by: string): string =>
  text.slice(0, index) + by + text.slice(index + 1)

const numberChanges: readonly Change[] = [
  (value) => -value,
  (value) => value + 1,
  (value) => value - 1,
  (value) => value + 0.5,
  (value) => value * 1e9,
  (value) => value * 1e300,
  (value) => String(value),
  (value) => [value],
]

const listChanges: readonly Change[] = [
  () => [],
  (list) => [...list, ...list],
  (list) => [list],
  (list) => [...list, null],
  (list) => ({ ...list }),
  (list) => list[0],
  (list) => Array.from({ length: 200 }, (_, index) => list[index % Math.max(1, list.length)] ?? null),
  (list) => ({ items: list }),
]

const memberChanges: readonly Change[] = [
  () => ({}),
  (members) => [members],
  (members) => Object.values(members),
  (members) => ({ data: members }),
  (members) => jsonText(members),
  (members, random) => ({ ...members, [random.word()]: hostileValue(random) }),
  (members, random) => ({ ...members, [random.pick(inheritedNames)]: hostileValue(random) }),
  (members, random) => ({ ...members, [hostileText(random)]: 1 }),
  (members) => Object.fromEntries(Object.entries(members).map(([key, value]) => [key.toUpperCase(), value])),
  (members, random) => renamed(members, random),
  (members, random) => twice(members, random),
  (members, random, words) => ({ ...members, [words.field(random, words.object(random))]: hostileValue(random) }),
]

function renamed(members: Json, random: Random): Json {
  const keys = Object.keys(members)
  if (keys.length === 0) return members
  const from = random.pick(keys)
  const to = random.pick([
    from.slice(0, -1),
    `${from}s`,
    from.toUpperCase(),
    `${from}\0`,
    `${from}.${from}`,
    hostileText(random),
  ])
  return Object.fromEntries(Object.entries(members).map(([key, value]) => [key === from ? to : key, value]))
}

/** One member given twice, with two values. */
function twice(members: Json, random: Random): Json {
  const keys = Object.keys(members)
  return keys.length === 0
    ? members
    : new RawJson(
        `${jsonText(members).slice(0, -1)},${JSON.stringify(random.pick(keys))}:${jsonText(hostileValue(random))}}`,
      )
}

const changesOf = (value: Json): readonly Change[] =>
  isText(value)
    ? textChanges
    : typeof value === 'number'
      ? numberChanges
      : Array.isArray(value)
        ? listChanges
        : typeof value === 'object' && value !== null && !(value instanceof RawJson)
          ? memberChanges
          : []

function changeAt(value: Json, path: Path, random: Random, words: Words): Json {
  const before = at(value, path)
  const nearly = changesOf(before)
  if (random.chance(0.1)) return changed(value, path, undefined)
  const after =
    nearly.length > 0 && random.chance(0.5) ? random.pick(nearly)(before, random, words) : hostileValue(random)
  return changed(value, path, after)
}

/** A copy with something wrong, or just unusual, at so many places. The places of `kept` stay. */
export function mutated(value: Json, count: number, random: Random, words: Words, kept: ReadonlySet<string>): Json {
  let result = value
  for (let made = 0; made < count; made++) {
    const paths = pathsOf(result).filter(([first]) => first !== undefined && !kept.has(first))
    if (paths.length === 0) return result
    result = changeAt(result, random.pick(paths), random, words)
  }
  return result
}
