import { isOpen } from '@kontor/contract'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Call } from '../kernel/calls.ts'
import { Failure, failure } from '../kernel/errors.ts'
import type { Runtime, HeaderSink } from '../kernel/invoke/runtime.ts'
import type { HoldAnswer, SendFailure } from './answer.ts'
import type { ReadBody } from './body.ts'
import type { Challenge } from './challenge.ts'
import { credentialOf, type Exchange } from './exchange.ts'
import type { NetworkOf } from './network.ts'
import type { Request, RequestHandler, Response } from 'express'
import { isRecord } from '../lib/guards.ts'

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

type Serve = (request: Request, response: Response, headers: HeaderSink) => Promise<void>

/** Makes routes of what the contract does not declare, from a name for the log and what answers. */
export const operationRoute =
  (exchange: Exchange, refuse: SendFailure) =>
  (operation: string, serve: Serve): RequestHandler =>
  (request, response) =>
    void exchange(
      request,
      response,
      async (_requestId, headers, note) => {
        note.operation = operation
        await serve(request, response, headers)
      },
      refuse,
    )

export type CallInput = Readonly<Record<string, unknown>>

/** A whole call that came as one value; 400 for what is no object. */
export function callInput(value: unknown): CallInput {
  const given = value ?? {}
  if (!isRecord(given))
    throw failure('invalid_parameter', 'The input must be an object: parameters flat, the body under "body".')
  return given
}
