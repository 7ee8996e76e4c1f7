import { activities, type ActivityResource, type Input, suggestion } from '@kontor/contract'
import { defined } from '../../lib/guards.ts'
import { isoTime } from '../../kernel/clock.ts'
import { isId } from '../../kernel/ids.ts'
import { StaleSchema } from '../../kernel/invoke/schema-check.ts'
import { implement, type WorkspaceReadContext } from '../../kernel/implement.ts'
import { resource } from '../../kernel/resource.ts'
import { pageEnvelope } from '../../lib/page-links.ts'
import { isZoneless, parseTimestamp } from '../fields/index.ts'
import { hiddenLists, redactLists } from '../lists/index.ts'
import { findObject } from '../objects/index.ts'
import { requireVisible, redactChanges } from '../records/index.ts'
import { listFeedNames, schemaFeedId, schemaUrl, workspaceSchemas } from '../schemas/index.ts'
import { findLocalTime } from '../settings/index.ts'
import { decodeCursor, encodeCursor, type FeedPosition } from './cursor.ts'
import { readPage, type FeedPageRequest } from './page.ts'
import {
  findPosition,
  isOwn,
  listListsOf,
  positionLength,
  positionOf,
  type EventRow,
  type Feed,
  type Narrowing,
} from './store.ts'

type ListInput = Pick<Input<typeof activities.list>, 'page' | 'sortOrder' | 'filter'>
type ListContext = WorkspaceReadContext<'unknown_field' | 'cursor_mismatch'>

/** Positions are in chronological order, so this is the only sortable column. */
const sortable = ['_created_at']

export const activityHandlers = implement(activities, {
  async list(ctx, input) {
    const { workspace, object, record } = input
    await requireVisible(ctx, object, record)
    return listFeed(ctx, input, {
      recordId: record,
      path: `${workspace}/objects/${object}/records/${record}/activities`,
      subjectOf: () => record,
    })
  },

  async listOfSchema(ctx, input) {
    const { workspace, entity } = input
    const { object } = await findObject(ctx, entity, 'name')
    const url = schemaUrl(ctx.baseUrl, entity)
    return listFeed(ctx, input, {
      recordId: schemaFeedId(ctx.workspace.workspaceId, object.key),
      path: `${workspace}/schemas/${entity}/activities`,
      subjectOf: () => url,
    })
  },

  async listOfSchemas(ctx, input) {
    const names = await listFeedNames(ctx.tx, ctx.workspace.workspaceId, await workspaceSchemas(ctx))
    return listFeed(ctx, input, {
      recordId: undefined,
      path: `${input.workspace}/schemas/activities`,
      subjectOf: (id) => schemaUrl(ctx.baseUrl, nameIn(names, id)),
    })
  },
})

/** An object without a known name is newer than the schemas that this request has read. */
function nameIn(names: ReadonlyMap<string, string>, id: string): string {
  const name = names.get(id)
  if (name === undefined) throw new StaleSchema()
  return name
}

/** The owner of a feed, the path under which it is requested, and the id that tells clients what an event is about. */
type FeedRequest = {
  readonly recordId: string | undefined
  readonly path: string
  readonly subjectOf: (recordId: string) => string
}

async function listFeed(
  ctx: ListContext,
  { page, sortOrder, filter }: ListInput,
  { recordId, path, subjectOf }: FeedRequest,
) {
  if (sortOrder !== undefined && !sortable.includes(sortOrder.column)) {
    const { column } = sortOrder
    const detail = `Activities cannot be sorted by "${column}".${suggestion(column, sortable)}`
    throw ctx.fail('unknown_field', { detail, source: { parameter: 'sortOrder[column]' }, meta: { allowed: sortable } })
  }
  const feed: Feed = { workspaceId: ctx.workspace.workspaceId, recordId }
  const descending = sortOrder?.dir !== 'ASC'
  const scope = [recordId ?? null, descending, filter?.type ?? null, filter?.actor ?? null, filter?.since ?? null]
  const { offset, limit } = page
  const hidden = await hiddenIn(ctx, feed)
  const found = await readPage(ctx.tx, {
    feed,
    narrowing: narrowingOf(filter, await sinceMsOf(ctx, filter), hidden),
    descending,
    offset,
    limit,
    position: await askedPosition(ctx, scope, feed, page),
  })
  // Where activities are left out, their positions would say how many.
  const placeOf = (event: EventRow) => (hidden.length > 0 ? [event.id] : positionOf(feed, event))
  const cursorOf = (activity: readonly EventRow[] | undefined) =>
    activity?.[0] && encodeCursor(scope, placeOf(activity[0]))
  const envelope = pageEnvelope({
    url: `${ctx.baseUrl}/workspaces/${path}`,
    query: { ...(sortOrder && { sortOrder }), ...(filter && { filter }) },
    offset,
    limit,
    shown: found.activities.length,
    total: found.total,
    after: found.after ? cursorOf(found.activities.at(-1)) : undefined,
    before: found.before ? cursorOf(found.activities[0]) : undefined,
  })
  const meta = { ...envelope.meta, total_records: found.total, total_pages: Math.ceil(found.total / limit) }
  return {
    body: {
      data: (await seenEvents(ctx, found.activities)).map((events) => presentActivity(events, subjectOf)),
      meta,
      links: envelope.links,
    },
  }
}

/** Lists with events in a feed that the caller may not see. No list has events in the feed of a schema. */
const hiddenIn = async (ctx: ListContext, feed: Feed): Promise<string[]> =>
  isOwn(feed) ? [...(await hiddenLists(ctx, await listListsOf(ctx.tx, feed)))] : []

/** The instant from which on activities are requested. */
async function sinceMsOf(ctx: ListContext, { since }: NonNullable<ListInput['filter']> = {}) {
  if (since === undefined) return undefined
  const zone = isZoneless(since) ? (await findLocalTime(ctx.tx, ctx.workspace.workspaceId)).zone : undefined
  const instant = parseTimestamp(since, zone)
  if (instant !== undefined) return Date.parse(instant)
  throw ctx.fail('invalid_parameter', {
    detail: `${JSON.stringify(since)} is not a valid time.`,
    source: { parameter: 'filter[since]' },
  })
}

function narrowingOf(
  { type, actor }: NonNullable<ListInput['filter']> = {},
  sinceMs: number | undefined,
  hidden: readonly string[],
): Narrowing | undefined {
  if (type === undefined && actor === undefined && sinceMs === undefined && hidden.length === 0) return undefined
  return { type, actorId: actor, sinceMs, hiddenLists: hidden }
}

async function askedPosition(
  ctx: ListContext,
  scope: unknown,
  feed: Feed,
  { after, before }: ListInput['page'],
): Promise<FeedPageRequest['position']> {
  if (after !== undefined && before !== undefined) {
    throw ctx.fail('invalid_parameter', {
      detail: 'Send either page[after] or page[before], not both.',
      source: { parameter: 'page[before]' },
    })
  }
  const cursor = after ?? before
  if (cursor === undefined) return undefined
  const direction = after === undefined ? 'before' : 'after'
  const named = decodeCursor(scope, cursor, positionLength(feed))
  const at = named && (await positionAt(ctx, feed, named))
  if (at === undefined)
    throw ctx.fail('cursor_mismatch', {
      detail: 'This cursor belongs to another list or is damaged.',
      source: { parameter: `page[${direction}]` },
    })
  return { at, direction }
}

/** A position that a cursor names, also by the event that stands there. */
async function positionAt(ctx: ListContext, feed: Feed, named: FeedPosition): Promise<FeedPosition | undefined> {
  const [id] = named
  if (!isOwn(feed) || typeof id !== 'string' || !isId(id)) return named
  const position = await findPosition(ctx.tx, feed, id)
  return position === undefined ? undefined : [position]
}

/** Activities whose events are redacted to the records and lists that the caller may see. */
async function seenEvents(ctx: ListContext, found: readonly (readonly EventRow[])[]): Promise<(readonly EventRow[])[]> {
  const diffs = (
    await redactLists(
      ctx,
      await redactChanges(
        ctx,
        found.flat().map(({ diff }) => diff),
      ),
    )
  ).values()
  return found.map((events) => events.map((event) => ({ ...event, diff: diffs.next().value ?? [] })))
}

function presentActivity(events: readonly EventRow[], subjectOf: FeedRequest['subjectOf']): ActivityResource {
  const first = defined(events[0])
  const subject = subjectOf(first.record_id)
  return resource('activity', first.id, {
    _id: first.id,
    // Not when the activity began: what began it may be hidden.
    _created_at: isoTime(first.created_at),
    aggKey: `${first.object}:${subject}:${first.type}`,
    data: events.map((event) => presentEvent(subject, event)),
  })
}

const presentEvent = (subject: string, event: EventRow): ActivityResource['attributes']['data'][number] => ({
  _id: event.id,
  _created_at: isoTime(event.created_at),
  type: event.type,
  actor: {
    _id: event.actor_id,
    anonymous_id: null,
    entity: event.actor_entity,
    source_id: event.source_id,
    ...(event.on_behalf_of !== null && { on_behalf_of: event.on_behalf_of }),
  },
  object: { _id: subject, anonymous_id: null, entity: event.object, diff: event.diff },
  // Of an agent, it is its run.
  ...(event.run_id !== null && event.actor_entity !== 'agent' && { import_id: event.run_id }),
})
