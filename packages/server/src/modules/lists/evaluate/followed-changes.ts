import type { ReadTx } from '../../../db/tx.ts'
import type { EventSubject } from '../../events/index.ts'
import { listWritten, type WrittenFields } from './written.ts'

/**
 * Kinds of events that can change membership: grants change what the owner of a list sees, and members are records too.
 */
const kinds: ReadonlySet<string | undefined> = new Set(['record', 'relationship', 'access', 'member'])

/** Tells whether an event may let records join or leave lists. */
export const isOfRecord = ({ type }: { readonly type: string }): boolean => kinds.has(type.split('.')[0])

type RecordSubject = EventSubject & { readonly object: string; readonly record_id: string }

const isRecordSubject = (subject: EventSubject): subject is RecordSubject =>
  isOfRecord(subject) && subject.object !== null && subject.record_id !== null

/** The changes of records that all lists of a workspace follow together. */
export class FollowedChanges {
  readonly #tx: ReadTx
  readonly #workspaceId: string
  readonly #byObject: ReadonlyMap<string, readonly RecordSubject[]>
  #written: Promise<ReadonlyMap<string, WrittenFields>> | undefined

  constructor(tx: ReadTx, workspaceId: string, changes: readonly EventSubject[]) {
    this.#tx = tx
    this.#workspaceId = workspaceId
    this.#byObject = Map.groupBy(changes.filter(isRecordSubject), ({ object }) => object)
  }

  get isEmpty(): boolean {
    return this.#byObject.size === 0
  }

  /** The records of an object that changed. */
  recordsOf(object: string): readonly string[] {
    return [...new Set(this.#of(object).map(({ record_id }) => record_id))]
  }

  /** The records to which changed records of an object referred by a field until they changed. */
  async leftOf(object: string, field: string): Promise<readonly string[]> {
    const changes = this.#of(object)
    if (changes.length === 0) return []
    const written = await (this.#written ??= listWritten(
      this.#tx,
      this.#workspaceId,
      [...this.#byObject.values()].flat(),
    ))
    return changes.flatMap(({ id }) => written.get(id)?.get(field) ?? [])
  }

  #of(object: string): readonly RecordSubject[] {
    return this.#byObject.get(object) ?? []
  }
}
