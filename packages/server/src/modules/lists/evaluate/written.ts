import type { ReadTx } from '../../../db/tx.ts'
import { isString } from '../../../lib/guards.ts'
import { listEventsAt, type LoggedEvent } from '../../events/index.ts'

/** By the names of the fields that a change wrote, the records that they referred to before; undefined means any. */
export type WrittenFields = ReadonlyMap<string, string | undefined> | undefined

type Source = Pick<LoggedEvent, 'id' | 'type'> & {
  readonly sequence?: number | undefined
  readonly payload?: LoggedEvent['payload'] | undefined
}

/** Events whose payloads are read at once: each may have two megabytes. */
const payloadsAtOnce = 20

/** Reads which fields events wrote, by their ids; those that say nothing of it may have written any. */
export async function listWritten(
  tx: ReadTx,
  workspaceId: string,
  sources: readonly Source[],
): Promise<ReadonlyMap<string, WrittenFields>> {
  const telling = sources.filter(({ type }) => type === 'record.updated' || type.startsWith('relationship.'))
  const sequences = telling.flatMap(({ sequence }) => sequence ?? [])
  const found = new Map(telling.map(({ id, payload }): [string, WrittenFields] => [id, payload && writtenBy(payload)]))
  for (let from = 0; from < sequences.length; from += payloadsAtOnce) {
    const events = await listEventsAt(tx, workspaceId, sequences.slice(from, from + payloadsAtOnce))
    for (const { id, payload } of events) found.set(id, writtenBy(payload))
  }
  return found
}

const writtenBy = ({ diff = [], relationship }: LoggedEvent['payload']): WrittenFields =>
  isString(relationship)
    ? new Map([[relationship, undefined]])
    : new Map(diff.map(({ path, oldVal }) => [String(path[0]), isString(oldVal) ? oldVal : undefined]))
