import { parseArgs } from 'node:util'

const databaseNames = ['sqlite', 'postgres'] as const
export type DatabaseName = (typeof databaseNames)[number]

const measurements = {
  get: 'get one record',
  list: 'a list of 50 with its exact total',
  create: 'create one record',
  bulk: 'create 1,000 records in one request',
  deep: 'a page in the middle, reached by a link, beside page one',
  start: 'cold start of an existing database, and memory when idle',
  stages: 'invoke alone, by stage, in microseconds',
} as const

export type Measurement = keyof typeof measurements

export type Options = {
  readonly databases: readonly DatabaseName[]
  readonly measurements: readonly Measurement[]
  readonly connections: number
  readonly people: number
  readonly companies: number
  readonly rounds: number
  readonly seconds: number
  readonly isQuick: boolean
  /** Where CPU profiles of both servers go. */
  readonly profileTo: string | undefined
}

export const help = `Measures Kontor beside a bare handler on the same tables, in the same run.

  node bench/src/run.ts [name…] [--database sqlite|postgres] [--quick] [--profile FOLDER]

Names; without any, all are measured and bench/RESULTS.md is written:
${Object.entries(measurements)
  .map(([name, what]) => `  ${name.padEnd(8)}${what}`)
  .join('\n')}

  --database   one database instead of both
  --quick      5,000 people and short rounds: whether it works, not how fast it is
  --rounds N   pairs of rounds for each name, floor and ours in turn (default 9)
  --seconds N  length of a round (default 3)
  --profile    write a CPU profile of each server into this folder, for \`node --cpu-prof\` readers
`

/** Undefined for --help. Throws with a sentence for whoever called. */
export function readOptions(args: readonly string[]): Options | undefined {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      database: { type: 'string' },
      quick: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      profile: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) return undefined
  const isQuick = values.quick
  return {
    databases: values.database === undefined ? databaseNames : [oneOf(databaseNames, values.database)],
    measurements: (positionals.length === 0 ? Object.keys(measurements) : positionals).map((name) => oneOf(Object.keys(measurements) as Measurement[], name)),
    connections: 32,
    people: isQuick ? 5000 : 100_000,
    companies: isQuick ? 500 : 10_000,
    rounds: positive(values.rounds, isQuick ? 3 : 9),
    seconds: positive(values.seconds, isQuick ? 1 : 3),
    isQuick,
    profileTo: values.profile,
  }
}

function oneOf<T extends string>(allowed: readonly T[], given: string): T {
  const found = allowed.find((one) => one === given)
  if (found === undefined) throw new Error(`"${given}" is none of: ${allowed.join(', ')}`)
  return found
}

function positive(given: string | undefined, otherwise: number): number {
  const number = given === undefined ? otherwise : Number(given)
  if (!(number > 0)) throw new Error(`"${given}" is no positive number`)
  return number
}
