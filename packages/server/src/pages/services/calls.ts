import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../kernel/clock.ts'
import { Failure } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { inProcess, type InProcessCall, type Served } from '../../kernel/invoke/in-process.ts'
import type { Issuer } from '../../modules/identity/tokens/index.ts'

/** The API, and the issuer of the tokens with which pages call it. */
export type UserCalls = Served & { readonly issuer: Issuer; readonly clock: Clock }

/** Makes the function that opens the API to a user, so that pages are under every rule of the API. */
export const callsOf =
  ({ runtime, calls, issuer, clock }: UserCalls) =>
  async (userId: string): Promise<InProcessCall> => {
    const { access_token: token } = await issuer.mint(userId)
    return inProcess({ runtime, calls }, { authorization: `Bearer ${token}` }, newId(clock.now()))
  }

const pageMax = 100

type ListPage<T> = { readonly data: readonly T[]; readonly links: { readonly next: string | null } }

/** Reads a list of the API, page by page. */
export async function allPages<T>(
  read: (page: { readonly offset: number; readonly limit: number }) => Promise<ListPage<T>>,
): Promise<T[]> {
  const found: T[] = []
  for (let next: string | null = ''; next !== null;) {
    const { data, links } = await read({ offset: found.length, limit: pageMax })
    found.push(...data)
    next = links.next
  }
  return found
}

/** Longer than the work of a form takes, even on a busy machine. */
const patienceMs = 10_000
const pauseMsMax = 250

/**
 * Runs the work of a form. A second click sends the form again while the first is in progress, and the browser shows
 * only the second answer: it waits for the first, to show its result.
 */
export async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const until = performance.now() + patienceMs
  for (let pauseMs = 10; ; pauseMs = Math.min(2 * pauseMs, pauseMsMax)) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'idempotency_in_progress' || performance.now() > until)
        throw error
    }
    await sleep(pauseMs)
  }
}
