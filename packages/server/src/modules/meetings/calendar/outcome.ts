import type { Change } from '@kontor/contract'
import type { WriteContext } from '../../../kernel/implement.ts'

export type ImportContext = WriteContext<'unique_violation' | 'match_ambiguous'>

/** What an import has done: the ids of meetings, and how many occurrences it has left as they were. */
export type ImportOutcome = {
  readonly created: string[]
  readonly updated: string[]
  readonly deleted: string[]
  readonly restored: string[]
  unchanged: number
  skipped: number
  readonly diffs: Change[][]
}

export const noOutcome = (skipped: number): ImportOutcome => ({
  created: [],
  updated: [],
  deleted: [],
  restored: [],
  unchanged: 0,
  skipped,
  diffs: [],
})
