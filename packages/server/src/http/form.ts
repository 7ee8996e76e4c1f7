import { Failure, failure } from '../kernel/errors.ts'
import { defined } from '../lib/guards.ts'
import { readLargeJson } from './large-json.ts'

/** Fields of a form, as many as an object of JSON has members. */
const fieldsMax = 10_000

/** The fields of a form (`application/x-www-form-urlencoded`), as texts; one that is given more than once is a list. */
export function readForm(text: string): Readonly<Record<string, string | readonly string[]>> {
  const fields = new Map<string, string[]>()
  const pairs = text.split('&', fieldsMax + 1)
  if (pairs.length > fieldsMax) throw failure('invalid_body', `A form has at most ${fieldsMax} fields.`)
  for (const pair of pairs) {
    if (pair === '') continue
    const [name = '', ...value] = pair.split('=')
    const values = fields.get(decode(name))
    if (values === undefined) fields.set(decode(name), [decode(value.join('='))])
    else values.push(decode(value.join('=')))
  }
  return Object.fromEntries(
    [...fields].map(([name, values]) => [name, values.length === 1 ? defined(values[0]) : values]),
  )
}

/** Matches the start of a possible JSON object or list, plain or percent-encoded. */
const jsonBegins = /^\s*(?:[{[]|%7b|%5b)/i

/**
 * Reads a form, or the JSON that `curl -d` and others send as one; its numbers are kept as they were written. JSON
 * that is cut off is no form of one odd field.
 */
export async function readFormOrJson(text: string): Promise<unknown> {
  if (!jsonBegins.test(text)) return readForm(text)
  const json = (await jsonOf(text)) ?? (await encodedJsonOf(text))
  if (json !== undefined) return json
  const form = readForm(text)
  const [name, ...others] = Object.keys(form)
  if (name !== undefined && others.length === 0 && form[name] === '')
    throw failure('malformed_json', 'The body was sent as a form and looks like JSON, but is not valid JSON.')
  return form
}

/** Reads JSON that was encoded as the name of a field without a value. */
const encodedJsonOf = async (text: string): Promise<unknown> =>
  /=./s.test(text) ? undefined : jsonOf(decode(text.replace(/=$/, '')))

/** Reads JSON; undefined if it is none. */
async function jsonOf(text: string): Promise<unknown> {
  try {
    return await readLargeJson(text, JSON.stringify)
  } catch (error) {
    if (error instanceof Failure) throw error
    return undefined
  }
}

/** Browsers keep what encodes nothing as it stands; here, as everywhere, nothing is guessed. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw failure('malformed_json', `The form is not percent-encoded UTF-8: ${text.slice(0, 200)}`)
  }
}
