import { isOpen } from '@kontor/contract'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Call } from '../kernel/calls.ts'
import { Failure } from '../kernel/errors.ts'
import type { Runtime } from '../kernel/invoke/runtime.ts'
import type { HoldAnswer } from './answer.ts'
import type { ReadBody } from './body.ts'
import type { Challenge } from './challenge.ts'
import type { Exchange } from './exchange.ts'
import type { NetworkOf } from './network.ts'
import { credentialOf } from './request.ts'

/** Parts that every surface shares; composed by `app.ts`. */
export type Transport = {
  readonly runtime: Runtime
  readonly calls: readonly Call[]
  readonly exchange: Exchange
  readonly readBody: ReadBody
  readonly challenge: Challenge
  readonly networkOf: NetworkOf
  /** Told of an answer before it is sent; throws where there is no room for one that can be asked for again. */
  readonly holdAnswer: HoldAnswer
  /** Told of a response that goes on for long and is no longer counted among the requests at work. */
  readonly letGo: (response: ServerResponse) => void
  /** Told of what no surface expected. */
  readonly onError: (error: unknown, requestId?: string) => void
}

/**
 * The body of calls whose workspace stands in it, so that it must be read before `invoke` runs. Of an unknown caller
 * it is not: the call goes on without it, and is refused for that reason. Endpoints without a caller have small ones,
 * which a network that keeps asking for addresses that do not exist may not send.
 */
export async function readKnownBody(
  { runtime, calls, readBody, networkOf }: Transport,
  request: IncomingMessage,
  response: ServerResponse,
  names: readonly string[],
): Promise<unknown> {
  if (names.every((name) => calls.some((call) => call.name === name && isOpen(call.endpoint)))) {
    runtime.gate.requireTrust(networkOf(request))
    return readBody(request, response, { size: 'normal', isAnonymous: true })
  }
  const isKnown = await runtime.authenticate(credentialOf(request)).then(
    () => true,
    (error: unknown) => {
      if (error instanceof Failure) return false
      throw error
    },
  )
  return isKnown ? readBody(request, response, { size: 'bulk' }) : undefined
}
