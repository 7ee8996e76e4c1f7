import { exampleIds } from '@kontor/contract'

type Value = string | number | boolean | null | readonly Value[] | { readonly [name: string]: Value }

const idPattern = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const timePattern = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g
const datePattern = /^\d{4}-\d\d-\d\d$/
const originPattern = /http:\/\/127\.0\.0\.1:\d+/g

/**
 * Values that are drawn at random and are no ids: keys and their first letters, secrets, tokens and cursors of
 * addresses.
 */
const secretPattern =
  /(?<=\bkp_)[\w-]+|(?<=\bwhsec_)[\w+/=]+|(?<=token=|\/inbound\/|page%5Bafter%5D=)[^&\s]+|(?<=\/acme\/)[\w-]{60,}/g

const exampleOrigin = 'http://127.0.0.1:4000'
const earlier = '2026-01-31T09:00:00.000Z'
const later = '2026-03-31T09:00:00.000Z'
const known: ReadonlySet<string> = new Set(Object.values(exampleIds))

const isPast = (time: string): boolean => Date.parse(time) <= Date.now()

/** Measured values, which are others each time, and the signatures of webhooks, which depend on the time. */
const steadied: Readonly<Record<string, Value>> = {
  duration_ms: 8,
  duration_p50_ms: 8,
  duration_p95_ms: 21,
  date: new Date(earlier).toUTCString(),
  'webhook-timestamp': String(Date.parse(earlier) / 1000),
  'webhook-signature': 'v1,EXAMPLE',
}

const measured = (name: string, value: Value): Value =>
  Object.hasOwn(steadied, name) && value !== null ? (steadied[name] ?? null) : value

/** Writes an answer so that it is the same each time: ids, times and secrets are none of this run. */
function steady(answer: Value, sent: string): Value {
  const ids = new Map<string, string>()
  const idFor = (id: string): string => {
    if (known.has(id) || sent.includes(id)) return id
    const made = ids.get(id) ?? `019b2f6e-7a00-7000-9000-${String(ids.size + 1).padStart(12, '0')}`
    ids.set(id, made)
    return made
  }
  const inText = (text: string): string => {
    if (text !== '' && sent.includes(JSON.stringify(text))) return text
    if (datePattern.test(text)) return (isPast(text) ? earlier : later).slice(0, 10)
    return text
      .replaceAll(originPattern, exampleOrigin)
      .replaceAll(idPattern, idFor)
      .replaceAll(timePattern, (time) => (isPast(time) ? earlier : later))
      .replaceAll(secretPattern, 'EXAMPLE')
  }
  const within = (value: Value): Value => {
    if (typeof value === 'string') return inText(value)
    if (Array.isArray(value)) return value.map(within)
    if (typeof value !== 'object' || value === null) return value
    const members = Object.entries(value).map(([name, inner]) => [inText(name), measured(name, within(inner))] as const)
    return Object.fromEntries(members)
  }
  return within(answer)
}

/** The length that is kept of what is long. */
type Cut = { readonly items: number; readonly innerItems: number; readonly members: number; readonly text: number }

/** From what most answers need to what the longest do. */
const cuts: readonly Cut[] = [
  { items: 2, innerItems: 10, members: 50, text: 400 },
  { items: 1, innerItems: 10, members: 50, text: 400 },
  { items: 1, innerItems: 2, members: 3, text: 200 },
  { items: 1, innerItems: 1, members: 1, text: 100 },
]

/** Above this the example of an answer is longer than what is read. */
const readableMax = 2500

/** Objects whose members are named by data, so that any of them may be missing. */
const dictionaries = ['properties', 'paths', 'schemas', 'parameters', 'responses', 'examples', 'headers', 'webhooks']

/** Generators of clients follow a reference wherever it stands, and one within an example leads nowhere. */
const notForTools = '$ref'

function shortened(value: Value, cut: Cut, name = '', depth = 0): Value {
  if (typeof value === 'string') return value.length <= cut.text ? value : `${value.slice(0, cut.text)}…`
  if (Array.isArray(value))
    return value.slice(0, depth === 1 ? cut.items : cut.innerItems).map((item) => shortened(item, cut, '', depth + 1))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value)
    .filter(([key]) => key !== notForTools)
    .map(([key, inner]) => [key, shortened(inner, cut, key, depth + 1)] as const)
  return Object.fromEntries(dictionaries.includes(name) ? members.slice(0, cut.members) : members)
}

/**
 * An answer as the pages of the docs show it: the same each time that it is asked for, without a secret, and no longer
 * than a reader looks at. What was sent stays as it is where it comes back.
 */
export function asExample(answer: unknown, sent: unknown): Value {
  // Values that have come over the wire are JSON.
  const whole = steady(answer as Value, JSON.stringify(sent ?? null))
  const tries = cuts.map((cut) => shortened(whole, cut))
  const [first = whole] = tries
  return tries.find((one) => JSON.stringify(one).length <= readableMax) ?? tries.at(-1) ?? first
}

/** Members down to those of `data[].attributes`: further down stands data. */
const membersDepthMax = 4

/**
 * The members of an example that an answer no longer has, by their paths. Null, and a list without items, stand for
 * anything: what is there depends on what else the server does at the time.
 */
export function missingMembers(example: unknown, answer: unknown, path = '', depth = 0): string[] {
  const isOpen = [example, answer].some((one) => one === null || (Array.isArray(one) && one.length === 0))
  if (isOpen || depth === membersDepthMax) return []
  if (Array.isArray(example) && Array.isArray(answer)) return missingMembers(example[0], answer[0], `${path}[]`, depth)
  if (typeof example !== typeof answer || Array.isArray(example) !== Array.isArray(answer)) return [path]
  if (typeof example !== 'object' || typeof answer !== 'object' || answer === null) return []
  return Object.entries(example ?? {}).flatMap(([name, inner]) => {
    const found = Object.entries(answer).find(([other]) => other === name)
    const to = `${path}.${name}`
    return found === undefined ? [to] : missingMembers(inner, found[1], to, depth + 1)
  })
}
