import { statesTotal } from '@kontor/contract'
import { parseInput } from '../parse/parse.ts'
import { invariant } from '../../lib/invariant.ts'
import type { Call } from '../calls.ts'
import { Failure } from '../errors.ts'
import type { StoredAnswer } from '../idempotency.ts'
import type { Answer, PublicContext, ReadContext, WorkspaceReadContext } from '../implement.ts'
import type { Incoming, Outgoing, Runtime } from './runtime.ts'

/** Members of a context that come from the clock. */
export type Timed = 'now' | 'newId'

/** One instant for the whole call, and ids that begin with it. */
export const timed = (runtime: Runtime, now: number): Pick<ReadContext, Timed> => ({
  now,
  newId: () => runtime.newId(now),
})

export const fail: ReadContext<'forbidden'>['fail'] = (code, fault) => new Failure({ code, ...fault })

/** The status, body and headers of what a handler returned. */
export function answer({ endpoint }: Call, { body, version, status }: Answer<unknown>): StoredAnswer {
  return {
    status: status ?? endpoint.status ?? 200,
    body,
    headers: version === undefined ? {} : { ETag: `"${version}"` },
  }
}

/**
 * Runs a public call, the same for every caller: it needs neither a credential nor the database, and costs so little
 * that it is not counted.
 */
export async function readPublic(
  { baseUrl, clock }: Runtime,
  call: Call,
  { readInput, requestId }: Incoming,
): Promise<Outgoing> {
  const given = await readInput()
  const context: PublicContext = { requestId, now: clock.now(), fail, baseUrl, given }
  const answered = await call.handler(context, parseInput(call.endpoint, given))
  invariant('body' in answered, `${call.name} is public, and answers in chunks`)
  return answer(call, answered)
}

/** Runs a call that changes nothing. */
export async function read(
  runtime: Runtime,
  call: Call,
  base: Omit<ReadContext, Timed> | Omit<WorkspaceReadContext, Timed>,
  input: Record<string, unknown>,
): Promise<Outgoing> {
  const now = timed(runtime, runtime.clock.now())
  const answered = await (statesTotal(call.endpoint)
    ? base.tx.inOneState((tx) => call.handler({ ...base, ...now, tx }, input))
    : call.handler({ ...base, ...now }, input))
  if ('stream' in answered) return { status: 200, headers: {}, stream: answered.stream }
  return 'chunks' in answered ? { status: 200, headers: {}, chunks: answered.chunks } : answer(call, answered)
}
