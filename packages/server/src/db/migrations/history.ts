import { isBeforeBaseline } from './baseline-step.ts'
import type { ConnectedProcess } from './connected.ts'
import { MigrationRefused } from './refused.ts'
import type { Applied, MigrationStep } from './session.ts'
import type { Migration } from './words.ts'

/** Returns whether a database has migrations that a version does not know, and that version can work on it. */
export const isNewerAndFits = (applied: Applied, migrations: readonly Migration[]): boolean =>
  applied.length > migrations.length && applied.slice(migrations.length).every(({ rolling }) => rolling)

/** Throws unless a version works on the history of a database: its own, or one that only rolling migrations follow. */
export function checkHistory(applied: Applied, migrations: readonly Migration[]): void {
  if (isBeforeBaseline(applied))
    throw new MigrationRefused(
      `The database is older than the baseline of this version of Kontor: it has ${applied.length} of the migrations ` +
        'before it. Migrate it with the last version before the baseline first (see the changelog).',
    )
  for (const [index, { number, name, rolling }] of applied.entries()) {
    const expected = migrations[index]?.name
    if (expected === undefined && rolling) continue
    if (expected === undefined) {
      throw new MigrationRefused(
        `The database is newer than this version of Kontor: it has migration ${number} (${name}), and this ` +
          `version knows ${migrations.length}. Start the version that created it, or migrate back with that ` +
          'version first.',
      )
    }
    if (number !== index + 1 || name !== expected) {
      throw new MigrationRefused(
        `The database has migration ${number} (${name}), but this version of Kontor has ${index + 1} (${expected}): ` +
          `a different version of Kontor created it.`,
      )
    }
  }
}

/** Throws while processes are connected that do not work with a step, or with one after it. */
export function checkConnected(step: MigrationStep, connected: readonly ConnectedProcess[]): void {
  const holders = connected.filter(({ known }) => step.isHeldBy(known))
  if (holders.length === 0) return
  const addresses = [...new Set(holders.map(({ address }) => address))].join(', ')
  const [kind, work] =
    step.direction === 'up'
      ? ['of an older version are connected', 'The next migrations do']
      : ['are connected', `Going back from migration ${step.number} (${step.name}) does`]
  throw new MigrationRefused(
    `Servers or workers ${kind}: ${holders.length} (${addresses}). ${work} not run beside them. Stop them, then try ` +
      'again; nothing was changed.',
  )
}
