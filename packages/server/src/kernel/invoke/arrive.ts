import { isMutation, pathParameters } from '@kontor/contract'
import { DatabaseCrowded } from '../../db/errors.ts'
import { invariant, isString, memberOf } from '../../lib/guards.ts'
import type { Call } from '../calls.ts'
import { Failure, failure } from '../errors.ts'
import type { ReadTx } from '../../db/tx.ts'
import type { AddressReadContext, FoundAddress } from '../implement.ts'
import { parseInput } from '../parse/parse.ts'
import { answer, fail } from './contexts.ts'
import type { Incoming, Outgoing, Runtime } from './runtime.ts'

/**
 * Takes what is sent to an address that is its own credential, in one transaction. The address is found first, by a
 * read, and has its limit: the body of nobody is read.
 */
export async function arrive(runtime: Runtime, call: Call, incoming: Incoming): Promise<Outgoing> {
  const { endpoint } = call
  if (runtime.database.isCrowded(isMutation(endpoint) ? 'write' : 'read'))
    throw new DatabaseCrowded('No further call may wait')
  const { workspaceId: party, id } = await findAddress(runtime, call, incoming)
  limit(runtime, `${call.name} ${party} ${id}`)
  const given = await incoming.readInput()
  const input = parseInput(endpoint, given)
  const { requestId, headers = {}, query = {} } = incoming
  const work = async (tx: ReadTx): Promise<Outgoing> => {
    const now = runtime.clock.now()
    const context: AddressReadContext = { requestId, now, fail, baseUrl: runtime.baseUrl, given, tx, headers, query }
    const answered = await call.handler(context, input)
    invariant('body' in answered, `${call.name} answers in chunks`)
    return answer(call, answered)
  }
  return isMutation(endpoint) ? runtime.database.write(work, { party }) : work(runtime.database.reader)
}

/** Names what is at the address, whichever of its addresses that is. */
async function findAddress(
  { gate, database }: Runtime,
  { name, endpoint, find }: Call,
  { scope, network = '', headers = {} }: Incoming,
): Promise<FoundAddress> {
  // Before it is checked: over tRPC and actions, a parameter may be any JSON.
  const given = pathParameters(endpoint.path).map((parameter) => [parameter, memberOf(scope, parameter)] as const)
  const fault = given.find(([, value]) => !isString(value))
  if (fault !== undefined)
    throw failure('invalid_parameter', `"${fault[0]}" must be a text.`, { source: { parameter: fault[0] } })
  const address = [name, ...given.map(([, value]) => value)].join(' ').slice(0, 300)
  const found = await gate.find(network, address, async () =>
    find?.(database.reader, Object.fromEntries(given), headers),
  )
  if (found === undefined)
    throw failure('not_found', 'There is no such address, or it was replaced: copy the current one.')
  return found
}

function limit({ arrivals }: Runtime, address: string): void {
  const { allowed, retryAfterSeconds } = arrivals.take(address)
  if (allowed) return
  const { limit: most, windowSeconds } = arrivals.policy
  const detail = `At most ${most} concurrent requests to one address, and as many in ${windowSeconds} seconds.`
  throw new Failure({ code: 'rate_limited', detail }, { retryAfterSeconds })
}
