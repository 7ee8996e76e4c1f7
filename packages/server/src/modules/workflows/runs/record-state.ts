import type { EventResource } from '@kontor/contract'
import { isRecord, memberOf } from '../../../lib/guards.ts'
import { listVisible, presentRecords } from '../../query/index.ts'
import type { OwnersContext } from './owners-context.ts'
import type { RunRow } from './store.ts'

/** The state of a trigger that stands for an event, with the record as it is now; without one where it is gone. */
export const eventState = ({ id, attributes }: EventResource, data: unknown): RunRow['trigger_state'] => {
  const { type, sequence, created_at, actor, object, record_id, data: payload } = attributes
  const { diff = [], ...rest }: Readonly<Record<string, unknown>> = payload
  return {
    event: {
      id,
      type,
      sequence,
      created_at,
      actor,
      object: { _id: record_id, entity: object, data: data ?? null, diff },
      data: rest,
    },
  }
}

/** The state of a trigger with what is in its record. */
export const withRecordData = (state: RunRow['trigger_state'], data: unknown): RunRow['trigger_state'] => {
  const { event } = state
  const object = memberOf(event, 'object')
  return isRecord(event) && isRecord(object) ? { event: { ...event, object: { ...object, data } } } : state
}

type Attributes = Readonly<Record<string, unknown>>

/** The attributes of records of an object by their ids, as an owner sees them; those gone or hidden are left out. */
export async function readAttributes(
  ctx: OwnersContext,
  objectName: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Attributes>> {
  const seen = await listVisible(ctx, objectName, ids)
  if (seen === undefined) return new Map()
  const presented = await presentRecords(ctx, seen.object, seen.rows)
  return new Map(presented.map(({ id, attributes }) => [id, attributes]))
}
