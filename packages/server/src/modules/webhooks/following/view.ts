import type { Filter } from '@kontor/contract'
import { Failure } from '../../../kernel/errors.ts'
import type { serverContext } from '../../schemas/index.ts'
import { principalOf } from '../../access/index.ts'
import type { KnownEvent } from '../../event-feed/index.ts'
import { findObject } from '../../objects/index.ts'
import { fromStored, matchingIdSet, resolveFilter } from '../../query/index.ts'
import type { WebhookRow } from '../store.ts'
import { changesAsked } from './matching.ts'
import { listAmong } from './store.ts'

type Context = ReturnType<typeof serverContext>

/**
 * The events, among those that its owner may see, that a webhook is to be told of; undefined if its filter does not fit
 * the schemas any more.
 */
export async function passing(
  ctx: Context,
  webhook: WebhookRow,
  events: readonly KnownEvent[],
): Promise<readonly KnownEvent[] | undefined> {
  const asked = events.filter((event) => changesAsked(webhook, event))
  const { object, changed, where } = webhook.filter ?? {}
  if (object === undefined || events.length === 0) return asked
  try {
    if (changed !== undefined) {
      const { fields } = (await findObject(ctx, object, 'read')).object
      // The fields that it waits for are gone: it would be told of nothing any more.
      if (changed.every((name) => !fields.has(name))) return undefined
    }
    if (where === undefined || asked.length === 0) return asked
    const ids = await matchingRecords(ctx, object, where, asked)
    return asked.filter(({ record_id }) => ids.has(record_id))
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

/** The records of events that match a condition now: as they are, not as they were when the event happened. */
async function matchingRecords(
  ctx: Context,
  name: string,
  where: Filter,
  events: readonly KnownEvent[],
): Promise<ReadonlySet<string>> {
  const { object } = await findObject(ctx, name, 'read')
  const filter = await resolveFilter(ctx, object, fromStored(where), () => ({ pointer: '' }))
  const set = matchingIdSet({
    workspaceId: ctx.workspace.workspaceId,
    object,
    principal: principalOf(ctx, object.schema, 'read'),
    filter,
    cursorScope: [],
  })
  return listAmong(ctx.tx, set, [...new Set(events.map(({ record_id }) => record_id))])
}
