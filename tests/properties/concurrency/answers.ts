import type { Answer, Json } from '../../harness/http.ts'
import { fits, type State, type Version } from './state.ts'

/** The content of an answer, without what the server makes up: times, names of people, texts for people. */
export type Said = {
  readonly status: number
  /** Codes of errors, each once. */
  readonly codes?: readonly string[]
  /** Where records went that were asked for. */
  readonly mergedInto?: readonly string[]
  readonly body?: Json
  readonly replayed?: true
}

/** The answer of the reference model, and the state after it; without `next` it stays as it is. */
export type Expected = Said & { readonly version?: Version; readonly next?: State }

const made = new Set(['_id', '_created_at', '_created_by', '_updated_at', '_updated_by', '_deleted_at', '_deleted_by'])

export const plain = (attributes: Json): Json =>
  Object.fromEntries(Object.entries<Json>(attributes).filter(([name]) => !made.has(name)))

export const seenRecord = ({ id, attributes }: Json): Json => ({ id, attributes: plain(attributes) })

/** The body of an answer about records. */
export function seenRecords({ data, meta, results }: Json): Json {
  if (results !== undefined)
    return results.map(({ status, data: one, errors }: Json) => ({
      status,
      ...(one && { record: seenRecord(one) }),
      ...(errors && { codes: codesOf(errors) }),
    }))
  if (data === undefined) return {}
  const total = meta?.total_records === undefined ? {} : { total: meta.total_records }
  return Array.isArray(data) ? { records: data.map(seenRecord), ...total } : { record: seenRecord(data) }
}

const codesOf = (errors: readonly Json[]): string[] => [...new Set(errors.map(({ code }) => code as string))].toSorted()

const mergedIntoOf = (errors: readonly Json[]): string[] =>
  [...new Set(errors.flatMap(({ meta }) => (meta?.merged_into as string | undefined) ?? []))].toSorted()

export function said({ status, headers, body }: Answer, see: (body: Json) => Json): Said {
  const replayed = headers['idempotency-replayed'] === 'true' ? { replayed: true as const } : {}
  if (status < 400) return { status, body: body === undefined ? {} : see(body), ...replayed }
  const errors: Json[] = body?.errors ?? []
  const mergedInto = mergedIntoOf(errors)
  return { status, codes: codesOf(errors), ...(mergedInto.length > 0 && { mergedInto }) }
}

export const versionOf = ({ headers }: Answer): number | undefined =>
  headers.etag === undefined ? undefined : Number(headers.etag.replaceAll('"', ''))

/** A text for a value that does not depend on the order of members. */
export const canonical = (value: Json): string =>
  JSON.stringify(value, (_key, one: Json) =>
    one !== null && typeof one === 'object' && !Array.isArray(one)
      ? Object.fromEntries(Object.entries<Json>(one).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  )

/** Returns whether an answer is the one that the model gives. */
export function agrees(
  { next: _next, version, ...expected }: Expected,
  answer: Said,
  answered: number | undefined,
): boolean {
  if (version !== undefined && answered !== undefined && !fits(version, answered)) return false
  return canonical({ body: {}, ...expected }) === canonical({ body: {}, ...answer })
}
