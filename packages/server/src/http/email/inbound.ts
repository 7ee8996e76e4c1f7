import type { Request, RequestHandler } from 'express'
import { bodyBytesMax } from '@kontor/contract'
import { Failure, failure } from '../../kernel/errors.ts'
import type { RateLimiter } from '../../kernel/rate-limit.ts'
import { isString, memberOf } from '../../lib/guards.ts'
import { send } from '../answer.ts'
import type { Exchange } from '../exchange.ts'
import { readBytes } from '../body.ts'

/** Services that receive inbound messages. */
export type InboundServices = {
  /** The workspace of an address; undefined of one that was not signed, or that another has replaced. */
  readonly readInbound: (token: string) => Promise<string | undefined>
  /** Answers what a message was taken for. */
  readonly take: (workspaceId: string, raw: Buffer) => Promise<string>
}

/** Of messages to one address. */
export type InboundLimiter = Pick<RateLimiter, 'policy' | 'take'>

/** Takes a message as a mail server or a provider of mail posts it: as it is, or in JSON. */
export const inboundRoute =
  ({ readInbound, take }: InboundServices, exchange: Exchange, limiter: InboundLimiter): RequestHandler =>
  (request, response) =>
    void exchange(request, response, async (_requestId, headers, note) => {
      note.operation = 'email:inbound'
      const workspaceId = await readInbound(String(request.params['token']))
      if (workspaceId === undefined)
        throw failure('not_found', 'There is no such address, or it was replaced: copy the current one.')
      const { allowed, retryAfterSeconds } = limiter.take(`email ${workspaceId}`)
      if (!allowed)
        throw new Failure({ code: 'rate_limited', detail: 'Too many concurrent messages.' }, { retryAfterSeconds })
      const raw = messageIn(request, await readBytes(request, response, bodyBytesMax.bulk, 'message'))
      send(response, 200, { taken_as: await take(workspaceId, raw) }, headers)
    })

const openingBrace = 0x7b

const jsonType = /^\s*application\/json\s*(;|$)/i

function messageIn({ headers }: Request, body: Buffer): Buffer {
  // No message begins like JSON; some programs send theirs under the type of a form.
  if (!jsonType.test(headers['content-type'] ?? '') && body[0] !== openingBrace) {
    if (body.length === 0) throw failure('invalid_body', 'The body contains no message.')
    return body
  }
  const given = jsonOf(body)
  const [raw, encoded] = [memberOf(given, 'raw'), memberOf(given, 'raw_base64')]
  if (isString(raw) && raw !== '') return Buffer.from(raw)
  if (isString(encoded) && encoded !== '') return Buffer.from(encoded, 'base64')
  throw failure('invalid_body', 'Send the message as "raw" or as "raw_base64".')
}

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    throw failure('malformed_json', 'The body is not valid JSON.')
  }
}
