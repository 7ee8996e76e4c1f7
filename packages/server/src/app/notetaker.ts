import type { Clock } from '../kernel/clock.ts'
import { allowedTargets } from '../lib/outbound/addresses.ts'
import { OutboundClient } from '../lib/outbound/client.ts'
import { isRetryableStatus, retryAfterMs, OutboundFailure } from '../lib/outbound/failure.ts'
import type { Notetaker } from '../modules/meetings/index.ts'
import { signatureHeaders } from '../modules/webhooks/index.ts'

/** Where the notetaker of an installation listens, and the secret that requests to it are signed with. */
export type NotetakerSettings = { readonly url: string; readonly secret: string }

/** Longest that it may ask to be left alone: meetings begin. */
const waitMsMax = 3_600_000

/** A notetaker that is asked by signed requests, as webhooks are (Standard Webhooks 1.0). */
export function httpNotetaker({ url, secret }: NotetakerSettings, baseUrl: string, clock: Clock): Notetaker {
  // The operator names it, so that it may be within their own network.
  const outbound = new OutboundClient({ allowed: allowedTargets([new URL(url).host]) })
  return {
    async tell({ id, type, data }, signal) {
      const meeting = `${baseUrl}/workspaces/${data.workspace}/meetings/${data.meeting_id}`
      const answers = { transcript: `${meeting}/recordings/transcript`, media: `${meeting}/recordings/media` }
      const body = JSON.stringify({ type, data: { ...data, answers } })
      const signed = signatureHeaders({ id, now: clock.now(), body }, [secret])
      try {
        const headers = { 'content-type': 'application/json', ...signed }
        const answer = await outbound.send({ method: 'POST', url, headers, body }, signal)
        if (answer.status >= 200 && answer.status < 300) return { isTaken: true }
        return {
          isTaken: false,
          // Everyone who sees the meeting sees this text, so it contains no response of the operator's service.
          detail: `The notetaker responded with status ${answer.status}.`,
          isLasting: !isRetryableStatus(answer.status),
          waitMs: Math.min(retryAfterMs(answer.headers['retry-after'], clock.now()) ?? 0, waitMsMax),
        }
      } catch (error) {
        if (!(error instanceof OutboundFailure)) throw error
        return { isTaken: false, detail: error.message, isLasting: false, waitMs: 0 }
      }
    },
  }
}
