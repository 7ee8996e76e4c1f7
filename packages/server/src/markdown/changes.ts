import type { Change } from '@kontor/contract'
import { table } from './table.ts'
import { plainText } from './value.ts'

/** Writes the changes of a dry run as a table: where, what is there, and what would be. */
export const changesTable = (changes: readonly Change[]): string =>
  table(
    ['field', 'before', 'after'],
    changes.map(({ path, val, oldVal, op }) => [
      path.join('.'),
      plainText(oldVal),
      op === 'delete' ? '' : plainText(val),
    ]),
  )
