import { isBlank, trimInvisible } from '@kontor/contract/values'
import { isOneOf, isRecord, itemsOf, memberOf, textOf } from '../../lib/guards.ts'
import { fold } from '../../db/fold.ts'
import { normaliseEmail, normalisePhone, partOfEmail } from './contact-points.ts'
import type { FieldType, Report } from './field-type.ts'
import { itemsMax } from './items.ts'
import { itemKeywords } from './keywords.ts'
import { itemOperators } from './operators.ts'
import { itemsShape } from './shape.ts'

/** Kinds of participants that are no single person (RFC 5545 §3.2.3). */
export const thingTypes = ['room', 'resource', 'group'] as const

/** A participant; unknown members are absent. */
type Participant = {
  readonly email: string
  readonly name?: string
  readonly phone_number?: string
  readonly status?: string
  readonly organizer?: boolean
  /** The kind of a participant that is no person: calendars know `thingTypes`. */
  readonly type?: string
}

const members = [
  'email',
  'name',
  'phone_number',
  'status',
  'organizer',
  'type',
] as const satisfies readonly (keyof Participant)[]
const textLengthMax = 500
const textShape = { type: 'string', maxLength: textLengthMax }

const properties = {
  email: textShape,
  name: textShape,
  phone_number: textShape,
  status: textShape,
  organizer: { type: 'boolean' },
  type: textShape,
}
const answeredShape = { type: 'object', properties, required: ['email'], additionalProperties: false }
const nullable = (shape: { readonly type: string }) => ({ ...shape, type: [shape.type, 'null'] })
const sentShape = {
  anyOf: [
    textShape,
    {
      ...answeredShape,
      properties: {
        ...Object.fromEntries(members.map((member) => [member, nullable(properties[member])])),
        email: textShape,
      },
    },
  ],
}

/**
 * E-mail addresses of people, with further details; a bare address is short for `{email}`. Compared by address,
 * searched by name too.
 */
export const participants: FieldType = {
  name: 'participants',
  comparedAs: 'items',
  jsonTypes: ['object'],
  keywords: itemKeywords,
  path: ['items'],
  itemMembers: ['email', 'name'],
  operators: itemOperators,
  indexes: ['text', 'grams'],
  empty: { items: [] },
  shape: (field) => ({ answered: itemsShape(field, answeredShape).answered, sent: itemsShape(field, sentShape).sent }),
  parse(value, _field, report, { country }) {
    if (!isRecord(value) || !Array.isArray(value['items']) || Object.keys(value).length !== 1)
      return report('Must be an object {"items": […]}.')
    const items = itemsOf(value)
    if (items.length > itemsMax) return report(`Must have at most ${itemsMax} items.`, ['items'])
    const parsed = items.map((item, index) =>
      parseItem(
        typeof item === 'string' ? { email: item } : item,
        (detail, path = []) => report(detail, ['items', index, ...path]),
        country,
      ),
    )
    const read = parsed.filter((one) => one !== undefined)
    if (read.length < parsed.length) return undefined
    const known = united(read)
    return known.length === 0 ? null : { items: known }
  },
  /**
   * Values stored before participants were objects are addresses alone. Postgres does not keep the order of members.
   */
  present: (stored) => ({ items: itemsOf(stored).map(participantOf) }),
  itemKey: (item) => participantOf(item).email,
  completeItem: (first, second) => ordered({ ...participantOf(second), ...participantOf(first) }),
  parseOperand: (value) => fold(normaliseEmail(trimInvisible(String(value))) ?? String(value)),
  parsePart: (value) => fold(normaliseEmail(trimInvisible(String(value))) ?? partOfEmail(String(value))),
}

/** Unites participants by address: the first of each, completed by the others. */
function united(items: readonly Participant[]): Participant[] {
  const byEmail = new Map<string, Participant>()
  for (const item of items) byEmail.set(item.email, ordered({ ...item, ...byEmail.get(item.email) }))
  return [...byEmail.values()]
}

const participantOf = (item: unknown): Participant => ordered(typeof item === 'string' ? { email: item } : item)

const ordered = (item: unknown): Participant =>
  Object.fromEntries(
    members.flatMap((member) => {
      const value = memberOf(item, member)
      return value === undefined ? [] : [[member, value]]
    }),
  ) as Participant

function parseItem(item: unknown, report: Report, country: string | undefined): Participant | undefined {
  if (!isRecord(item)) {
    report('Must be an e-mail address, or an object with an "email".')
    return undefined
  }
  let faulty = false
  const fault = (detail: string, path: readonly string[]) => {
    faulty = true
    report(detail, path)
  }
  const given: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(item)) {
    if (!isOneOf(members, name)) fault(`Unknown member; allowed: ${members.join(', ')}.`, [name])
    else if (value === null && name !== 'email') continue
    else if (name === 'organizer' && typeof value !== 'boolean') fault('Must be true or false.', [name])
    else if (name !== 'organizer' && (typeof value !== 'string' || value.length > textLengthMax))
      fault(`Must be a string of at most ${textLengthMax} characters.`, [name])
    else if (typeof value !== 'string' || !isBlank(value))
      given[name] = typeof value === 'string' ? trimInvisible(value) : value
  }
  const email = typeof given['email'] === 'string' ? normaliseEmail(given['email']) : undefined
  if (email === undefined && !faulty)
    fault(
      'Must be an e-mail address.',
      typeof item['email'] === 'string' && Object.keys(item).length === 1 ? [] : ['email'],
    )
  const phone = given['phone_number']
  return faulty
    ? undefined
    : ordered({
        ...given,
        email: textOf(email),
        ...(typeof phone === 'string' && { phone_number: normalisePhone(phone, country) }),
      })
}
