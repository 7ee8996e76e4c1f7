import type { RecordResource } from '@kontor/contract'
import { newestOf } from './conflicts.ts'

export type Counts = { created: number; updated: number; unchanged: number; rejected: number }

/**
 * Tells records that were made, changed or left alone by their times, since an answer of the API says only what each
 * record is now: what was written by the last request carries the newest time of all.
 */
export class Tally {
  readonly counts: Counts = { created: 0, updated: 0, unchanged: 0, rejected: 0 }
  /** The newest time that the server has told; undefined until its clock is known. */
  #newest: string | undefined
  /** Contents of the records of that very time, by id: a later row of the file may meet them again. */
  #ofNewest = new Map<string, string>()

  get knowsTime(): boolean {
    return this.#newest !== undefined
  }

  /** Learns the server's clock from an answer in which at least one record was written. */
  learnTime(records: readonly RecordResource[]): void {
    this.#newest = newestOf(records)
    this.#ofNewest.clear()
  }

  /** Counts an answer in which each record may have been there before, in the order of the rows. */
  count(records: readonly RecordResource[]): void {
    for (const record of records) this.counts[this.#resultOf(record)]++
  }

  #resultOf({ id, attributes }: RecordResource): 'created' | 'updated' | 'unchanged' {
    const { _created_at: createdAt, _updated_at: updatedAt } = attributes
    const newest = this.#newest ?? ''
    if (updatedAt < newest) return 'unchanged'
    if (updatedAt > newest) this.#ofNewest.clear()
    this.#newest = updatedAt
    const content = JSON.stringify(attributes)
    const before = this.#ofNewest.get(id)
    this.#ofNewest.set(id, content)
    if (before === undefined) return createdAt === updatedAt ? 'created' : 'updated'
    return before === content ? 'unchanged' : 'updated'
  }
}
