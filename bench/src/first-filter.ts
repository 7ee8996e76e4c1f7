import { setTimeout as sleep } from 'node:timers/promises'
import type { Fact } from './facts.ts'
import type { Options } from './options.ts'
import { resourcesOf } from './paths.ts'
import { startKontor } from './processes.ts'
import { median } from './rates.ts'
import type { Unserved } from './stand.ts'

/** Far below what a scan of a million documents takes, so that the timeout strikes; the default is 10 s. */
const statementTimeoutMs = 500
/** The time that a machine at work adds to a timeout. */
const slackMs = 250
const fastMsMax = 50
/** Longest for the index of few persons; for many, a millisecond each, twice what it takes at most. */
const patienceMsMin = 1_200_000

type Answer = {
  readonly status: number
  readonly ms: number
  readonly retryAfter: string | null
  readonly code: string | undefined
}

/**
 * Measures the first filter by a field, and the ones after it. No list may have used the field before.
 */
export async function measureFirstFilter(
  { url, seeded, authorization }: Unserved,
  dataDir: string,
  options: Options,
  say: (text: string) => void,
): Promise<Fact[]> {
  const patienceMs = Math.max(patienceMsMin, seeded.people)
  const server = await startKontor(url, dataDir, options, { STATEMENT_TIMEOUT_MS: String(statementTimeoutMs) })
  const ask = async (score: number): Promise<Answer> => {
    const started = performance.now()
    const response = await fetch(
      `http://127.0.0.1:${server.port}${resourcesOf(seeded, `filter%5Bscore%5D=${score}`)}`,
      { headers: { Authorization: authorization } },
    )
    const body = (await response.json()) as { readonly errors?: readonly { readonly code: string }[] }
    return {
      status: response.status,
      ms: performance.now() - started,
      retryAfter: response.headers.get('retry-after'),
      code: body.errors?.[0]?.code,
    }
  }
  try {
    const started = performance.now()
    const first = await ask(1)
    say(`first filter: ${described(first)}`)
    for (let answer = first; answer.status !== 200 || answer.ms > fastMsMax; answer = await ask(2)) {
      if (performance.now() - started > patienceMs)
        throw new Error(`After ${patienceMs} ms a filter still answers ${described(answer)}`)
      await sleep(answer.status === 200 ? 250 : Number(answer.retryAfter ?? 1) * 1000)
    }
    const seconds = (performance.now() - started) / 1000
    say(`first filter: indexed after ${seconds.toFixed(1)} s`)
    const later: number[] = []
    for (let score = 3; score < 53; score++) later.push((await ask(score)).ms)
    return factsOf(first, seconds, median(later))
  } finally {
    await server.stop()
  }
}

const described = ({ status, ms, retryAfter, code }: Answer): string =>
  `${status}${code === undefined ? '' : ` ${code}`} after ${ms.toFixed(0)} ` +
  `ms${retryAfter === null ? '' : `, Retry-After ${retryAfter}`}`

const factsOf = (first: Answer, seconds: number, laterMs: number): Fact[] => [
  {
    what:
      `first filter on a field without an index, at a statement timeout of ${statementTimeoutMs} ms: 200, or ` +
      '503 with Retry-After, in time',
    value: described(first),
    isMet:
      first.ms < statementTimeoutMs + slackMs &&
      (first.status === 200 || (first.status === 503 && first.retryAfter !== null)),
  },
  { what: 'its index is there', value: `after ${seconds.toFixed(1)} s` },
  { what: `then the filter takes < ${fastMsMax} ms`, value: `${laterMs.toFixed(1)} ms`, isMet: laterMs < fastMsMax },
]
