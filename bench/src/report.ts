import { execFileSync } from 'node:child_process'
import { availableParallelism, cpus, totalmem, type as systemType, release } from 'node:os'
import { openConfigured, readConfig } from '@kontor/server/admin'
import type { DatabaseName, Options } from './options.ts'
import type { Pair } from './promises.ts'
import type { Rates } from './rates.ts'
import { stages, type StageTimes } from './stages.ts'
import type { StartFacts } from './start.ts'

export type Results = {
  readonly database: DatabaseName
  readonly version: string
  readonly rates: readonly { readonly pair: Pair; readonly rates: Rates }[]
  readonly start: StartFacts | undefined
  readonly stages: readonly StageTimes[]
}

const startMsMax = 1000
const idleMiBMax = 150

const count = (value: number): string => Math.round(value).toLocaleString('en-US')
const verdict = (met: boolean): string => (met ? 'met' : '**not met**')
const mib = (bytes: number): number => bytes / 2 ** 20

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map((_, index) => (index === 0 ? '---' : '---:')), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

function promiseRows({ database, rates, start }: Results): string[][] {
  const rows = rates.map(({ pair, rates: { floor, ours, ratio, low, high } }) => {
    const unit = pair.records > 1 ? 'records/s' : '/s'
    const promise = `${pair.what} ≥ ${pair.atLeast.toFixed(2)} of ${pair.against === 'floor' ? 'the floor' : 'page one'}`
    return [
      `${database}: ${promise}`,
      `${count(floor.perSecond)} ${unit}`,
      `${count(ours.perSecond)} ${unit}`,
      `${ratio.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`,
      verdict(ratio >= pair.atLeast),
    ]
  })
  if (start === undefined) return rows
  rows.push([`${database}: cold start < ${startMsMax} ms`, '', `${count(start.startMs)} ms`, '', verdict(start.startMs < startMsMax)])
  if (start.idleBytes !== undefined) {
    rows.push([`${database}: idle < ${idleMiBMax} MiB`, '', `${mib(start.idleBytes).toFixed(0)} MiB`, '', verdict(mib(start.idleBytes) < idleMiBMax)])
  }
  return rows
}

const us = (value: number | undefined): string => (value === undefined ? '' : `${count(value)} µs`)

const costRows = ({ database, rates }: Results): string[][] =>
  rates.map(({ pair, rates: { floor, ours } }) => [
    `${database}: ${pair.what}`,
    us(floor.cpuUs),
    us(ours.cpuUs),
    `${floor.p50.toFixed(1)} / ${floor.p99.toFixed(1)} ms`,
    `${ours.p50.toFixed(1)} / ${ours.p99.toFixed(1)} ms`,
  ])

const stageRows = ({ database, stages: times }: Results): string[][] =>
  times.map(({ operation, us: parts, total }) => [
    `${database}: ${operation}`,
    ...stages.map((stage) => (parts[stage] === undefined ? '' : parts[stage].toFixed(1))),
    total.toFixed(0),
  ])

/** The tables, for the terminal and for the file alike. */
export function tables(results: readonly Results[]): string {
  const parts = []
  const promises = results.flatMap(promiseRows)
  if (promises.length > 0) parts.push(table(['promise', 'floor (or page one)', 'ours', 'ratio, median (range)', 'verdict'], promises))
  const costs = results.flatMap(costRows)
  if (costs.length > 0)
    parts.push(
      `CPU time of the server's process for one request, and latency (median / 99th percentile):\n\n${table(['', 'floor CPU', 'our CPU', 'floor latency', 'our latency'], costs)}`,
    )
  const timed = results.flatMap(stageRows)
  if (timed.length > 0) parts.push(`\`invoke\` alone, one call after another, microseconds by stage (medians):\n\n${table(['', ...stages, 'all'], timed)}`)
  return parts.join('\n\n')
}

/** Asks the database itself what it is. */
export async function versionOf(url: string): Promise<string> {
  const database = openConfigured(readConfig({ DATABASE_URL: url }))
  try {
    const text = database.dialect.name === 'sqlite' ? 'select sqlite_version() as version' : "select current_setting('server_version') as version"
    const [row] = await database.reader.query<{ version: string }>(({ knex }) => knex.raw(text))
    return `${database.dialect.name === 'sqlite' ? 'SQLite' : 'Postgres'} ${row?.version.split(' ')[0]}`
  } finally {
    await database.close()
  }
}

export function resultsFile(results: readonly Results[], options: Options): string {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8', cwd: import.meta.dirname }).trim()
  const machine = [
    `${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), shared with other work; ${Math.round(totalmem() / 2 ** 30)} GiB of memory; ${systemType()} ${release().split('-')[0]}`,
    `Node ${process.versions.node}; ${results.map(({ version }) => version).join('; ')}, both on disk with fsync on`,
    `${count(options.people)} persons and ${count(options.companies)} companies in one workspace; ${options.connections} connections; ${options.rounds} pairs of rounds of ${options.seconds} s`,
    `commit ${commit}, ${new Date().toISOString().slice(0, 10)}`,
  ]
  return `# Results

Written by \`node bench/src/run.ts\`; [README.md](README.md) says how it measures.

${machine.map((line) => `- ${line}`).join('\n')}

Load generator, server and database share the cores, so the absolute figures are low; each ratio is of two neighbouring rounds.

${tables(results)}
`
}
