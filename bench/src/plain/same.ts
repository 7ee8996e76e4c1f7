import { isDeepStrictEqual } from 'node:util'
import type { Pair } from '../rates.ts'

type Json = Readonly<Record<string, unknown>>

/** Our names for what the plain server shows; the others are the same. */
const ourNames: Readonly<Record<string, string>> = { created_at: '_created_at', updated_at: '_updated_at', id: '_id' }

async function ask({ of: { port, headers }, request }: Pair['ours'], path: string): Promise<Json> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers, method: request.method })
  const body = (await response.json()) as Json
  if (!response.ok) throw new Error(`${path} answers ${response.status}: ${JSON.stringify(body).slice(0, 500)}`)
  return body
}

const listed = (value: unknown): Json[] => (value === undefined ? [] : ([value].flat() as Json[]))

/** The attributes of a record as the plain server shows them, of one that ours shows. */
const asPlain = (shown: Json, ours: Json): Json =>
  Object.fromEntries(Object.keys(shown).map((name) => [name, (ours['attributes'] as Json)[ourNames[name] ?? name]]))

/** Fails unless both answer with the same records, in the same order, with the same fields, out of as many. */
export async function assertSameAnswers({ what, other, ours }: Pair): Promise<void> {
  for (const index of [0, 1, 2]) {
    const [otherPath, ourPath] = [other.request.paths[index], ours.request.paths[index]]
    if (otherPath === undefined || ourPath === undefined) return
    const [theirs, mine] = [await ask(other, otherPath), await ask(ours, ourPath)]
    const total = (theirs['meta'] as Json | undefined)?.['total']
    const records = ['data', 'included'].flatMap((part) => listed(theirs[part]))
    const same = ['data', 'included'].flatMap((part) => listed(mine[part]))
    const shown = { total, records }
    const expected = {
      total: (mine['meta'] as Json)['total_records'],
      records: same.map((record, at) => asPlain(records[at] ?? {}, record)),
    }
    if (!isDeepStrictEqual(shown, expected))
      throw new Error(
        `To "${what}" plain and Kontor answer differently:\n${JSON.stringify(shown).slice(0, 2000)}\n` +
          JSON.stringify(expected).slice(0, 2000),
      )
  }
}
