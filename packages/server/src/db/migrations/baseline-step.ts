import type { Applied, MigrationStep } from './session.ts'

/** The first and the last of the migrations that the baseline replaced, with their numbers. */
const replaced = { first: '0001-fold', last: '0126-passkeys', count: 81 }

/** Returns whether a database has migrations that the baseline replaced. */
export const isBeforeBaseline = (applied: Applied): boolean => applied[0]?.name === replaced.first

/**
 * The step of a database that has all of them: its tables are those of the baseline, and only their history is
 * written anew. Undefined for any other database.
 */
export function baselineStep(applied: Applied): MigrationStep | undefined {
  if (!isBeforeBaseline(applied) || applied.length !== replaced.count || applied.at(-1)?.name !== replaced.last)
    return undefined
  return {
    statements: ['delete from kontor_migration'],
    number: 1,
    name: '0001-baseline',
    direction: 'up',
    rolling: false,
    isHeldBy: () => true,
  }
}
