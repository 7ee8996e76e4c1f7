import { readJson } from '@kontor/contract'
import { findUnstorable } from '../../kernel/parse/parse.ts'
import { withoutExcessMarks } from '../../lib/texts.ts'
import { nextTurn } from '../../lib/portions.ts'
import type { OutboundClient } from '../../lib/outbound/client.ts'
import type { OutboundAnswer, OutboundRequest } from '../../lib/outbound/exchange.ts'
import { isRetryableStatus, retryAfterMs, OutboundFailure, type OutboundReason } from '../../lib/outbound/failure.ts'
import { StepFailure, type BlockContext } from './plugin.ts'

/** Failures that no retry fixes. */
const lasting: ReadonlySet<OutboundReason> = new Set<OutboundReason>(['refused_address', 'invalid_request'])

/** Longest that a receiver may ask to be left alone. */
const retryAfterMsMax = 24 * 3_600_000

/** Characters of an answer that the failure of a step repeats. */
const quotedMax = 300

/** Reading a longer answer takes milliseconds: of several that have come together, each has its turn. */
const turnCharacters = 64 * 1024

/** The failure of a step whose request got no answer. */
export const unanswered = ({ reason, message }: OutboundFailure): StepFailure =>
  new StepFailure(reason, message, { isRetryable: !lasting.has(reason) })

/** Sends a request of a step; fails the step unless the answer is 2xx, or any will do. */
export async function sendOutbound(
  outbound: Pick<OutboundClient, 'send'>,
  request: OutboundRequest,
  { signal, now }: Pick<BlockContext, 'signal' | 'now'>,
  accept: '2xx' | 'any' = '2xx',
): Promise<OutboundAnswer> {
  const answer = await outbound.send(request, signal).catch((error: unknown) => {
    throw error instanceof OutboundFailure ? unanswered(error) : error
  })
  const { status, headers, body } = answer
  if (body.length > turnCharacters) await nextTurn()
  if (accept === 'any' || (status >= 200 && status < 300)) return answer
  const asked = retryAfterMs(headers['retry-after'], now)
  throw new StepFailure(
    `http_${status}`,
    `The receiver responded with ${status}. ${body.slice(0, quotedMax)}`.trimEnd(),
    {
      isRetryable: isRetryableStatus(status),
      retryAfterMs: asked === undefined ? undefined : Math.min(asked, retryAfterMsMax),
    },
  )
}

/** An answer as outputs have it. */
export function answerOf({ status, headers, body: sent, isCut }: OutboundAnswer) {
  const body = withoutExcessMarks(sent)
  const isJson = !isCut && /[/+]json\b/i.test(headers['content-type'] ?? '')
  return { status, headers, body: isJson ? jsonOr(body) : body }
}

/**
 * Parses a text as JSON; returns the text itself if it is not JSON, or cannot be stored. A number that would be
 * changed is a text.
 */
function jsonOr(text: string): unknown {
  try {
    const value = readJson(text, JSON.stringify)
    return findUnstorable(value) === undefined ? value : text
  } catch {
    return text
  }
}
