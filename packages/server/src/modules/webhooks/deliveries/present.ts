import { webhooks, type Output } from '@kontor/contract'
import { isoTime, isoTimeOrNull } from '../../../kernel/clock.ts'
import { presenterOf, resource } from '../../../kernel/resource.ts'
import type { DeliveryContent } from './contents.ts'
import type { AttemptRow, DeliveryRow } from './store.ts'

type DeliveryResource = Output<typeof webhooks.resend>['data']
type DeliveryDetail = Output<typeof webhooks.getDelivery>['data']

const present = presenterOf(webhooks.resend.response.shape.data)

export const presentDelivery = (row: DeliveryRow): DeliveryResource =>
  present(row, {
    event: { id: row.event_id, type: row.event_type, object: row.object, record_id: row.record_id },
    status: row.state,
    next_attempt_at: isoTimeOrNull(row.due_at),
  })

/** A delivery with its attempts. What is withheld is neither in its request nor in what a receiver may have echoed. */
export const presentDetail = (
  row: DeliveryRow,
  content: DeliveryContent,
  attempts: readonly AttemptRow[],
): DeliveryDetail =>
  resource('webhook-delivery', row.id, {
    ...presentDelivery(row).attributes,
    request: { method: 'POST', body: 'body' in content ? content.body : null },
    log: attempts.map(({ number, at, duration_ms, request_headers, response, reason, detail }) => ({
      number,
      at: isoTime(at),
      duration_ms,
      error: reason === null ? null : { reason, message: detail ?? '' },
      request: { headers: { ...request_headers } },
      response: presentAnswer(response, content),
    })),
  })

function presentAnswer(response: AttemptRow['response'], content: DeliveryContent) {
  if (response === null) return null
  return { ...response, headers: { ...response.headers }, body: 'body' in content ? response.body : null }
}
