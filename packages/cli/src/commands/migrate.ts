import { Command, InvalidArgumentError } from 'commander'
import type { MigrationStatus } from '@kontor/server/admin'
import { CommandFailed } from '../errors.ts'
import { databaseHelp, examples } from '../help.ts'
import { count, print, printData } from '../output.ts'

type Options = { readonly status?: true; readonly to?: number; readonly down?: true; readonly json?: true }

export const migrateCommand = (): Command =>
  new Command('migrate')
    .description('Bring the tables of the database to this version. The server does so too when it starts.')
    .option('--status', 'only list the applied and pending migrations')
    .option('--to <number>', 'go to this migration instead of the newest; 0 empties the database', migrationNumber)
    .option('--down', 'allow --to to go back, which removes what the later migrations made, data included')
    .option('--json', 'print {data: {current, latest, applied, pending}} as JSON')
    .addHelpText('after', databaseHelp)
    .addHelpText(
      'after',
      examples(
        ['kontor migrate --status', 'see what is pending'],
        ['kontor migrate --to 3 --down', 'go back to migration 3'],
      ),
    )
    .action(async (options: Options) => {
      const status = await run(options)
      if (options.json) printData(present(status))
      else printStatus(status)
    })

function migrationNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It must be a number from 0 on.')
  return Number(text)
}

async function run({ status: onlyStatus, to, down }: Options): Promise<MigrationStatus> {
  const { migrate, openConfigured, migrationStatus, readConfig } = await import('@kontor/server/admin')
  const database = openConfigured(readConfig())
  try {
    const before = await migrationStatus(database)
    if (onlyStatus) return before
    if (to !== undefined && to < before.current && !down) {
      throw new CommandFailed(
        `The database is at migration ${before.current}; going back to ${to} removes tables and their data. ` +
          'Add --down if that is meant.',
      )
    }
    return await migrate(database, to === undefined ? {} : { to })
  } finally {
    await database.close()
  }
}

const present = ({ current, latest, applied, pending }: MigrationStatus) => ({
  current,
  latest,
  applied: applied.map(({ number, name }) => ({ number, name })),
  pending,
})

function printStatus({ current, latest, applied, pending }: MigrationStatus): void {
  for (const { number, name } of applied) print(`applied  ${number}  ${name}`)
  for (const [index, name] of pending.entries()) print(`pending  ${current + index + 1}  ${name}`)
  print(
    pending.length === 0
      ? `The database is up to date, at migration ${current} of ${latest}.`
      : `The database is at migration ${current} of ${latest}; ${count(pending.length, 'is', 'are')} pending.`,
  )
}
