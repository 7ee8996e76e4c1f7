import { isMutation, pathParameters } from '@kontor/contract'
import { DatabaseCrowded } from '../../db/errors.ts'
import { isString, memberOf } from '../../lib/guards.ts'
import { invariant } from '../../lib/invariant.ts'
import type { Call } from '../calls.ts'
import { Failure } from '../errors.ts'
import type { AddressContext } from '../implement.ts'
import { parseInput } from '../parse/parse.ts'
import { answer, fail } from './answer.ts'
import type { Incoming, Outgoing, Runtime } from './runtime.ts'

/**
 * Takes what is sent to an address that is its own credential, in one transaction. Each address has its limit, which is
 * looked at before the body is read.
 */
export async function arrive(runtime: Runtime, call: Call, incoming: Incoming): Promise<Outgoing> {
  const { endpoint } = call
  limit(runtime, call, incoming)
  if (runtime.database.isCrowded(isMutation(endpoint) ? 'write' : 'read'))
    throw new DatabaseCrowded('No further call may wait')
  const given = await incoming.readInput()
  const input = parseInput(endpoint, given)
  const { requestId, headers = {} } = incoming
  return runtime.database.write(async (tx) => {
    const now = runtime.clock.now()
    const context: AddressContext = { requestId, now, fail, baseUrl: runtime.baseUrl, given, tx, headers }
    const answered = await call.handler(context, input)
    invariant('body' in answered, `${call.name} changes something, and answers in chunks`)
    return answer(call, answered)
  })
}

function limit({ arrivals }: Runtime, { name, endpoint }: Call, { scope }: Incoming): void {
  // Counted before it is checked: over tRPC and actions, a parameter may be any JSON.
  const given = pathParameters(endpoint.path).map((parameter) => memberOf(scope, parameter))
  const address = given.map((value) => (isString(value) ? value : ''))
  const { allowed, retryAfterSeconds } = arrivals.take([name, ...address].join(' ').slice(0, 300))
  if (allowed) return
  const { limit: most, windowSeconds } = arrivals.policy
  const detail = `At most ${most} requests to one address at once, and as many in ${windowSeconds} seconds.`
  throw new Failure({ code: 'rate_limited', detail }, { retryAfterSeconds })
}
