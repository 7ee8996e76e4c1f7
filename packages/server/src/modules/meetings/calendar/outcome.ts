import type { Change } from '@kontor/contract'
import type { WriteContext } from '../../../kernel/implement.ts'

export type ImportContext = WriteContext<'unique_violation' | 'match_ambiguous'>

/** The result of an import: the ids of meetings, and the number of unchanged occurrences. */
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
