import type { UndoConflict } from '@kontor/contract'
import { Failure } from '../../kernel/errors.ts'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import type { CallByName } from '../../kernel/invoke/in-process.ts'
import type { RunEvent } from '../activities/index.ts'

/** The means to undo a run: reads and calls of the API, both as the person who asked for it. */
export type Undoing = {
  readonly ctx: WorkspaceReadContext
  /** A change as that person, silent if they wish. */
  readonly call: CallByName
  readonly read: CallByName
  readonly slug: string
}

/** A change that was left as it is. */
export type Left = Pick<UndoConflict, 'field' | 'reason' | 'detail'>

export const left = (reason: Left['reason'], detail: string, field: string | null = null): Left[] => [
  { field, reason, detail },
]

export const gone = left('gone', 'The record is deleted, or you may not see it.')
export const changed = (field: string) => left('changed', `"${field}" has been changed since.`, field)

/** Where the record of an event is. */
export const scopeOf = ({ slug }: Undoing, { object }: RunEvent) => ({ workspace: slug, object })

/** Accepts that a record is deleted already. */
export function unlessGone(error: unknown): void {
  if (!(error instanceof Failure) || error.code !== 'not_found') throw error
}
