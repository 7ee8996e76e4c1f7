import { events } from '@kontor/contract'
import { credentialOf } from '../../kernel/actor.ts'
import { implement, type StreamContext } from '../../kernel/implement.ts'
import { urlWith } from '../../lib/page-links.ts'
import { readEvents, requireBounds } from './page.ts'
import { presentEvent } from './present.ts'
import { EventFollower } from './stream/follow.ts'
import type { EventHub } from './stream/hub.ts'

export const eventHandlers = (hub: EventHub) =>
  implement(events, {
    async list(ctx, { workspace, after, limit, filter }) {
      const bounds = await requireBounds(ctx, after)
      const page = await readEvents(ctx, bounds, { after: after ?? bounds.first - 1, limit, filter })
      const hasMore = page.nextAfter < bounds.last
      const url = `${ctx.baseUrl}/workspaces/${workspace}/events`
      return {
        body: {
          data: page.events.map(presentEvent),
          meta: { next_after: page.nextAfter, first_sequence: bounds.first, last_sequence: bounds.last },
          links: { next: hasMore ? urlWith(url, { after: page.nextAfter, limit, filter }) : null },
        },
      }
    },

    async stream(ctx, { after: asked, filter }) {
      const seen = lastSeen(ctx)
      const bounds = await requireBounds(ctx, seen ?? asked, seen === undefined ? undefined : headerSource)
      const refusal = hub.refusal(ctx.workspace.workspaceId, credentialOf(ctx.actor))
      if (refusal !== undefined) throw refusal
      const position = seen ?? asked
      const follower = new EventFollower(hub, ctx, { after: position ?? bounds.last, filter }, position === undefined)
      return { stream: (sink) => follower.run(sink) }
    },
  })

const headerSource = { header: 'Last-Event-ID' }

/** The position of a client that comes again. */
function lastSeen(ctx: StreamContext): number | undefined {
  const { lastEventId } = ctx
  if (lastEventId === undefined || lastEventId === '') return undefined
  if (/^\d{1,15}$/.test(lastEventId)) return Number(lastEventId)
  throw ctx.fail('invalid_parameter', { detail: 'Must be the id of an event of this stream.', source: headerSource })
}
