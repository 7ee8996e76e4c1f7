import { activities, type ActivityResource, type Input } from '@kontor/contract'
import { isoTime } from '../../kernel/clock.ts'
import { implement, type WorkspaceReadContext } from '../../kernel/implement.ts'
import { suggestion } from '../../kernel/nearest.ts'
import { pageEnvelope } from '../../kernel/page-links.ts'
import { requireVisible } from '../records/index.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'
import { readPage, type PageRequest } from './page.ts'
import type { EventRow, Narrowing } from './store.ts'

type ListInput = Input<typeof activities.list>
type ListContext = WorkspaceReadContext<'unknown_field' | 'cursor_mismatch'>

/** Positions are in the order of time, so this is the only column there is. */
const sortable = ['_created_at']

export const activityHandlers = implement(activities, {
  async list(ctx, input) {
    const { workspace, object, record, page, sortOrder, filter } = input
    await requireVisible(ctx, object, record)
    if (sortOrder !== undefined && !sortable.includes(sortOrder.column)) {
      const detail = `Activities have no column "${sortOrder.column}" to sort by.${suggestion(sortOrder.column, sortable)}`
      throw ctx.fail('unknown_field', { detail, source: { parameter: 'sortOrder[column]' }, meta: { allowed: sortable } })
    }
    const descending = sortOrder?.dir !== 'ASC'
    const scope = [record, descending, filter?.type ?? null, filter?.actor ?? null, filter?.since ?? null]
    const request: PageRequest = {
      feed: { workspaceId: ctx.workspace.workspaceId, recordId: record },
      narrowing: narrowingOf(filter),
      descending,
      offset: page.offset,
      limit: page.limit,
      position: positionOf(ctx, scope, page),
    }
    const found = await readPage(ctx.tx, request)
    const cursorOf = (activity: readonly EventRow[] | undefined) => activity?.[0] && encodeCursor(scope, activity[0].position)
    const envelope = pageEnvelope({
      url: `${ctx.baseUrl}/workspaces/${workspace}/objects/${object}/records/${record}/activities`,
      query: { ...(sortOrder && { sortOrder }), ...(filter && { filter }) },
      offset: page.offset,
      limit: page.limit,
      shown: found.activities.length,
      total: found.total,
      after: found.after ? cursorOf(found.activities.at(-1)) : undefined,
      before: found.before ? cursorOf(found.activities[0]) : undefined,
    })
    return { body: { data: found.activities.map((events) => presentActivity(record, events)), meta: { ...envelope.meta, total_records: found.total, total_pages: Math.ceil(found.total / page.limit) }, links: envelope.links } }
  },
})

function narrowingOf(filter: ListInput['filter']): Narrowing | undefined {
  if (filter?.type === undefined && filter?.actor === undefined && filter?.since === undefined) return undefined
  return { type: filter.type, actorId: filter.actor, sinceMs: filter.since === undefined ? undefined : Date.parse(filter.since) }
}

function positionOf(ctx: ListContext, scope: unknown, { after, before }: ListInput['page']): PageRequest['position'] {
  if (after !== undefined && before !== undefined) {
    throw ctx.fail('invalid_parameter', { detail: 'Send page[after] or page[before], not both.', source: { parameter: 'page[before]' } })
  }
  const cursor = after ?? before
  if (cursor === undefined) return undefined
  const direction = after === undefined ? 'before' : 'after'
  const at = decodeCursor(scope, cursor)
  if (at === undefined) throw ctx.fail('cursor_mismatch', { detail: 'This cursor belongs to another list or is damaged.', source: { parameter: `page[${direction}]` } })
  return { at, direction }
}

function presentActivity(recordId: string, events: readonly EventRow[]): ActivityResource {
  const [first] = events as [EventRow]
  return {
    type: 'activity',
    id: first.id,
    attributes: { _id: first.id, _created_at: isoTime(first.began_at), aggKey: `${first.object}:${recordId}:${first.type}`, data: events.map((event) => presentEvent(recordId, event)) },
  }
}

const presentEvent = (recordId: string, event: EventRow): ActivityResource['attributes']['data'][number] => ({
  _id: event.id,
  _created_at: isoTime(event.created_at),
  type: event.type,
  actor: { _id: event.actor_id, anonymous_id: null, entity: event.actor_entity, source_id: event.source_id },
  object: { _id: recordId, anonymous_id: null, entity: event.object, diff: event.diff },
})
