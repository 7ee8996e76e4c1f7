import type { Fact } from './facts.ts'
import { median } from './rates.ts'
import type { Stand } from './stand.ts'

const perRequest = 10_000
const rounds = 3

/** Measures deleting records in bulk, and restoring them. */
export async function measureRemoval({ seeded, ours, baseUrl }: Stand, say: (text: string) => void): Promise<Fact[]> {
  const objects = `${baseUrl}/workspaces/${seeded.workspace}/objects/person`
  const call = async (
    method: string,
    path: string,
    body?: object,
  ): Promise<{ readonly ms: number; readonly body: unknown }> => {
    const started = performance.now()
    const init = body === undefined ? { method } : { method, body: JSON.stringify(body) }
    const response = await fetch(`${objects}${path}`, {
      ...init,
      headers: { ...ours.headers, 'Content-Type': 'application/json' },
    })
    const answer: unknown = await response.json()
    if (!response.ok)
      throw new Error(`${method} ${path} answers ${response.status}: ${JSON.stringify(answer).slice(0, 500)}`)
    return { ms: performance.now() - started, body: answer }
  }
  const { body } = await call('GET', `/resources?page%5Blimit%5D=${perRequest}`)
  const items = (body as { readonly data: readonly { readonly id: string }[] }).data.map(({ id }) => id)
  const deleting: number[] = []
  const restoring: number[] = []
  for (let round = 1; round <= rounds; round++) {
    deleting.push((await call('DELETE', '/records', { items })).ms)
    restoring.push((await call('POST', '/records/restore', { items })).ms)
    say(
      `delete and restore ${round} of ${rounds}: ${deleting.at(-1)?.toFixed(0)} ms, ${restoring.at(-1)?.toFixed(0)} ms`,
    )
  }
  const fact = (what: string, times: readonly number[]): Fact => ({
    what: `${what} ${items.length.toLocaleString('en-US')} records at once`,
    value: `${(median(times) / 1000).toFixed(2)} s`,
  })
  return [fact('delete', deleting), fact('restore', restoring)]
}
