import { trimInvisible } from '@kontor/contract/values'
import { isOneOf, memberOf } from '../../lib/guards.ts'
import { fold } from '../../db/fold.ts'
import type { FieldType } from './field-type.ts'
import { textOperators } from './operators.ts'

const members = ['first_name', 'last_name', 'full_name'] as const
const partLengthMax = 500
const partShape = { type: ['string', 'null'], maxLength: partLengthMax }

/** `{first_name, last_name, full_name}`; the full name is derived from the others if it is not given. */
export const personName: FieldType = {
  name: 'person_name',
  comparedAs: 'text',
  jsonTypes: ['object'],
  keywords: ['default', 'xSvcPrimary', 'xSvcSearchable'],
  path: ['full_name'],
  parts: ['first_name', 'last_name'],
  operators: textOperators,
  indexes: ['text', 'grams'],
  empty: null,
  shape: () => ({
    answered: {
      type: 'object',
      properties: { first_name: partShape, last_name: partShape, full_name: { type: 'string' } },
      required: [...members],
      additionalProperties: false,
    },
    sent: {
      type: 'object',
      properties: Object.fromEntries(members.map((member) => [member, partShape])),
      additionalProperties: false,
    },
  }),
  parse(value, _field, report) {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return report('Must be an object {"first_name", "last_name"}.')
    let faulty = false
    const fault = (detail: string, path: string) => {
      faulty = true
      report(detail, [path])
    }
    for (const [key, part] of Object.entries(value)) {
      if (!isOneOf(members, key)) fault(`Unknown member; allowed: ${members.join(', ')}.`, key)
      else if (part !== null && typeof part !== 'string') fault('Must be a string or null.', key)
      else if (typeof part === 'string' && part.length > partLengthMax)
        fault(`Must be at most ${partLengthMax} characters.`, key)
    }
    return faulty ? undefined : complete(value)
  },
  parseOperand: (value) => fold(String(value)),
  /** Postgres does not keep the order of members. */
  present(stored) {
    const [first_name, last_name, full_name] = members.map((member) => memberOf(stored, member))
    return { first_name, last_name, full_name }
  },
  /**
   * Parts that are absent stay. A full name that was derived is derived again; one that was given differs from its
   * parts, and stays with them.
   */
  merge(stored: Name, given: Name) {
    const derived = (stored.full_name ?? '') === join(stored.first_name, stored.last_name)
    return complete({ ...stored, ...(derived && { full_name: null }), ...given })
  },
}

type Part = string | null | undefined
type Name = { readonly first_name?: Part; readonly last_name?: Part; readonly full_name?: Part }

const join = (first: Part, last: Part): string => [first, last].filter((part) => part).join(' ')

const shownIn = (part: Part): string | null => trimInvisible(part ?? '') || null

function complete(value: Name): Name | null {
  const first = shownIn(value.first_name)
  const last = shownIn(value.last_name)
  const full = shownIn(value.full_name) ?? join(first, last)
  return full === '' ? null : { first_name: first, last_name: last, full_name: full }
}
