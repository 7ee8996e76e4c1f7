import { Command, InvalidArgumentError } from 'commander'
import type { MigrationStatus } from '@kontor/server/admin'
import { CommandFailed } from '../errors.ts'
import { databaseHelp, examples } from '../help.ts'
import { count, print, printData, say } from '../output.ts'

/** More parts cost memory and time for each connection, and give no more nodes to spread over. */
const shardsMax = 1024

type Options = {
  readonly status?: true
  readonly to?: number
  readonly down?: true
  readonly distribute?: true
  readonly shards?: number
  readonly json?: true
}

export const migrateCommand = (): Command =>
  new Command('migrate')
    .description('Migrate the tables of the database to this version. The server also does this when it starts.')
    .option('--status', 'only list the applied and pending migrations')
    .option('--to <number>', 'migrate to this migration instead of the newest; 0 empties the database', migrationNumber)
    .option('--down', 'allow --to to migrate down, which removes the tables and data of later migrations')
    .option('--distribute', 'spread the tables over the nodes of a Citus cluster, permanently')
    .option('--shards <number>', 'with --distribute: shards of each table (default: 32)', shardNumber)
    .option('--json', 'print {data: {current, latest, applied, pending, is_rolling, connected, distribution}} as JSON')
    .addHelpText('after', databaseHelp)
    .addHelpText(
      'after',
      examples(
        ['kontor migrate --status', 'list pending migrations'],
        ['kontor migrate --to 3 --down', 'go back to migration 3'],
        ['kontor migrate --distribute', 'spread Postgres over the nodes of a Citus cluster'],
      ),
    )
    .action(async (options: Options) => {
      const status = await run(options)
      if (options.json) printData(present(status))
      else printStatus(status)
    })

function migrationNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It must be a number, 0 or greater.')
  return Number(text)
}

function shardNumber(text: string): number {
  const shards = Number(text)
  if (!/^\d+$/.test(text) || shards < 1 || shards > shardsMax)
    throw new InvalidArgumentError(`It must be a number from 1 to ${shardsMax}.`)
  return shards
}

async function run(options: Options): Promise<MigrationStatus> {
  const { status: onlyStatus, to, down } = options
  if (options.shards !== undefined && !options.distribute)
    throw new CommandFailed('--shards works only with --distribute: add it, or omit --shards.')
  if (options.distribute && (onlyStatus || to !== undefined))
    throw new CommandFailed('--distribute migrates to the newest migration: omit --to and --status.')
  const { distributeDatabase, migrateUnserved, openConfigured, migrationStatus, readConfig } =
    await import('@kontor/server/admin')
  const database = openConfigured(readConfig())
  try {
    const before = await migrationStatus(database)
    if (onlyStatus) return before
    if (to !== undefined && to < before.current && !down) {
      throw new CommandFailed(
        `The database is at migration ${before.current}; going back to ${to} removes tables and their data. ` +
          'Add --down to do this.',
      )
    }
    const status = await migrateUnserved(database, to === undefined ? {} : { to })
    if (!options.distribute) return status
    const distribution = await distributeDatabase(database, {
      ...(options.shards !== undefined && { shards: options.shards }),
      onTable: (table) => say(`Distributing ${table}`),
    })
    return { ...status, distribution }
  } finally {
    await database.close()
  }
}

const present = ({ current, latest, applied, pending, isRolling, connected, distribution }: MigrationStatus) => ({
  current,
  latest,
  applied: applied.map(({ number, name }) => ({ number, name })),
  pending,
  is_rolling: isRolling,
  connected,
  distribution: distribution ?? null,
})

function printStatus(status: MigrationStatus): void {
  const { current, applied, pending, distribution } = status
  for (const { number, name } of applied) print(`applied  ${number}  ${name}`)
  for (const [index, name] of pending.entries()) print(`pending  ${current + index + 1}  ${name}`)
  print(inOneSentence(status))
  if (distribution !== undefined) printDistribution(distribution)
}

function inOneSentence({ current, latest, pending, isRolling, isNewerAndFits, connected }: MigrationStatus): string {
  if (current > latest)
    return `The database is at migration ${current}, newer than the ${latest} that this version knows. ${
      isNewerAndFits ? 'This version works with it.' : 'This version does not work with it.'
    }`
  if (pending.length === 0) return `The database is up to date, at migration ${current} of ${latest}.`
  const known = connected.length === 0 ? '' : ` (connected: ${connected.length})`
  const how = isRolling
    ? 'Servers and workers of an older version may run meanwhile.'
    : `Stop the servers and workers of an older version first${known}.`
  return `The database is at migration ${current} of ${latest}; ${count(pending.length, 'is', 'are')} pending. ${how}`
}

function printDistribution(distribution: NonNullable<MigrationStatus['distribution']>): void {
  const { version, shards, nodes, distributed_tables: distributed, coordinator_tables: local } = distribution
  print(
    `Citus ${version}: ${distributed} tables in ${count(shards, 'shard', 'shards')} each, ${local} tables on the ` +
      'coordinator.',
  )
  for (const node of nodes) {
    const role = node.is_coordinator ? 'coordinator' : 'worker'
    const state = node.is_active ? '' : ', not active'
    print(`  ${role}  ${node.host}:${node.port}  ${count(node.shards, 'shard', 'shards')}${state}`)
  }
}
