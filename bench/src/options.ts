import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'

const databaseNames = ['sqlite', 'postgres'] as const
export type DatabaseName = (typeof databaseNames)[number]

/** The measurements, by the set that they belong to. */
const sets = {
  basics: {
    ranks: 'pages sorted by a select, beside the same sorted by a text',
    fair: 'the filters of a small workspace, alone and beside one that floods the server with scans',
    start: 'cold start of an existing database, and memory when idle',
    stages: 'invoke alone, by stage, in microseconds',
  },
  depth: {
    unindexed: 'the first filter on a field that has no index yet, and those after it',
    search: 'pages of what a search finds, beside a scan, and the time that one takes',
    far: 'pages in the middle, by several orders, beside page one',
    feed: 'the feed of a record with 100,000 events, beside one with 100',
    include: 'a list with what it refers to, beside the list without',
    related: 'related records of a record with 100,000 links, beside one with 100',
    growth: 'page one and the exact total, beside those of the smaller database',
    traces: 'create, beside one without history, events and index rows',
    remove: 'delete 10,000 records at once, and restore them',
    evolve: 'add, rename and drop a field: how long others wait meanwhile',
  },
  access: {
    visible: 'lists of 50 where half is shared and 10,000 are granted, each with its exact total',
    total: 'an exact total of a filter, under access',
    sql: 'a list by SQL beside the same filter, and what its SQL costs to compile',
  },
  plain: {
    singles: 'get one record, alone and with its company',
    matches: 'equality with 5 to 64,000 matches',
    pages: 'a list of 50 with its exact total, and a page at offset 50,000',
    parts: 'a part of a name that 50 to 70 persons have',
    writes: 'update one record, create one, create 1,000 in one request',
    size: 'disk for a record, memory when idle and at most',
    neighbours: 'what get and list keep of their speed while 16 clients scan all records',
  },
  automation: {
    jobs: 'jobs that do nothing: enqueue, claim and complete',
    runs: 'a workflow of three steps, from event to finished run',
    peers: 'the same beside DBOS and OpenWorkflow, and one run alone',
    restart: 'a server that is killed while it has runs, and the next one',
    letters: 'letters of a workflow to a mail server on the same machine',
    delivery: 'an event to the first attempt of its delivery, under 100 changes a second',
    following: 'what events and a workflow that never matches cost a create',
    enrolment: 'the members of a list, enrolled in a campaign',
    waiting: 'waiting runs: start, memory and claims beside them',
    listening: '10,000 idle listeners of the stream of events, and how late another one hears of 100 changes a second',
    evaluated: 'a dynamic list of 300,000 records that have just been created, until all of them have joined it',
    listed: 'the runs of a workflow with 1,000,000 of them, beside those of one with 1,000',
    reads: '800 jobs a second beside exports, counts and evaluations of lists, three at a time',
    idle: 'what a server asks of its database while nothing happens',
  },
} as const

export type SetName = keyof typeof sets
export type DepthName = keyof typeof sets.depth

export type PlainName = keyof typeof sets.plain

export type AutomationName = keyof typeof sets.automation

export type Measurement = keyof typeof sets.basics | DepthName | PlainName | AutomationName | keyof typeof sets.access

export const namesOf = (set: SetName): Measurement[] => Object.keys(sets[set]) as Measurement[]

/** Persons in the databases of each set; waiting runs in that of automation. */
const scales = {
  basics: [100_000],
  depth: [100_000, 1_000_000],
  access: [1_000_000],
  plain: [100_000],
  automation: [10_000, 100_000],
}
/** An object with fewer than 20,000 records has no index to measure. */
const quickScales = { basics: [5000], depth: [25_000, 50_000], access: [50_000], plain: [100_000], automation: [2000] }

export type Options = {
  readonly databases: readonly DatabaseName[]
  readonly measurements: readonly Measurement[]
  readonly scales: Readonly<Record<SetName, readonly number[]>>
  /** Persons in the database that larger ones are compared with. */
  readonly smallest: number
  readonly connections: number
  readonly rounds: number
  readonly seconds: number
  readonly isQuick: boolean
  /** The new measurements replace earlier ones in the results. */
  readonly isWorthKeeping: boolean
  /** The one-minute load average before anything was started. */
  readonly loadBefore: number
  /** The folder in which seeded databases stay for the next run. */
  readonly keptIn: string | undefined
  /** They are measured themselves, not a copy of each: what a measurement changes or has built stays. */
  readonly isInPlace: boolean
  /** Where CPU profiles of both servers go. */
  readonly profileTo: string | undefined
}

const described = (set: SetName): string =>
  Object.entries(sets[set])
    .map(([name, what]) => `    ${name.padEnd(11)}${what}`)
    .join('\n')

export const help = `Measures Kontor beside programs written by hand, in the same run.

  node bench/src/run.ts [name…] [--database sqlite|postgres] [--persons N] [--keep FOLDER [--in-place]]
                        [--quick] [--profile FOLDER]

Names; without any, all are measured. What comes out goes into bench/results.json and bench/RESULTS.md:
  basics, with 100,000 persons:
${described('basics')}
  depth, with 100,000 and with 1,000,000 persons:
${described('depth')}
  access, with 1,000,000 persons, as a member sees them:
${described('access')}
  plain, with 100,000 persons, beside what one writes by hand without Kontor:
${described('plain')}
  automation, with 10,000 and with 100,000 waiting runs:
${described('automation')}

  --database   one database instead of both
  --persons    one size of the databases, for depth, access and plain; waiting runs for automation, and persons enrolled
               where more than 100,000
  --keep       leave the seeded databases in this folder, and take them from there; one run at a time
  --in-place   measure what is kept itself, not a copy: for databases that do not fit on the disk twice
  --quick      few people and short rounds: whether it works, not how fast it is
  --rounds N   pairs of rounds for each name, the other and ours in turn (default 9)
  --seconds N  length of a round (default 3)
  --profile    write a CPU profile of each server into this folder, for \`node --cpu-prof\` readers
`

/** Undefined for --help. Throws with a sentence for the user. */
export function readOptions(args: readonly string[]): Options | undefined {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      database: { type: 'string' },
      persons: { type: 'string' },
      keep: { type: 'string' },
      'in-place': { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      profile: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) return undefined
  if (values['in-place'] && values.keep === undefined) throw new Error('--in-place needs --keep FOLDER')
  const isQuick = values.quick
  const usual = isQuick ? quickScales : scales
  return {
    databases: values.database === undefined ? databaseNames : [oneOf(databaseNames, values.database)],
    measurements: (positionals.length === 0 ? Object.keys(sets) : positionals).flatMap(measurementsOf),
    scales: values.persons === undefined ? usual : { ...usual, ...sameScale(positive(values.persons, 0)) },
    smallest: usual.depth[0] as number,
    connections: 32,
    rounds: positive(values.rounds, isQuick ? 3 : 9),
    seconds: positive(values.seconds, isQuick ? 1 : 3),
    isQuick,
    isWorthKeeping:
      !isQuick &&
      values.profile === undefined &&
      (values.persons === undefined || Object.values(scales).flat().includes(Number(values.persons))),
    loadBefore: loadavg()[0] as number,
    keptIn: values.keep,
    isInPlace: values['in-place'],
    profileTo: values.profile,
  }
}

const sameScale = (people: number) => ({ depth: [people], access: [people], plain: [people], automation: [people] })

export const setNames = Object.keys(sets) as SetName[]

function measurementsOf(name: string): Measurement[] {
  const set = setNames.find((one) => one === name)
  return set === undefined ? [oneOf(setNames.flatMap(namesOf), name)] : namesOf(set)
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

/** Returns the arguments of a script of its own. For --help, prints its help instead and ends the process. */
export function argumentsOf(text: string): readonly string[] {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { help: { type: 'boolean', short: 'h', default: false } },
  })
  if (values.help) {
    process.stdout.write(text)
    process.exit()
  }
  return positionals
}

/** Returns a number of the command line; throws a sentence for the user where it is no positive one. */
export const positiveOr = (otherwise: number, given: string | undefined): number => positive(given, otherwise)

export const databaseOr = (otherwise: DatabaseName, given: string | undefined): DatabaseName =>
  given === undefined ? otherwise : oneOf(databaseNames, given)
