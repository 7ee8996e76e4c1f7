import { openConfigured, readConfig } from '@kontor/server/admin'
import type { Fact } from './facts.ts'
import type { DatabaseName, Measurement } from './options.ts'
import type { Rates } from './rates.ts'
import { stages, type StageTimes } from './stages.ts'

/** The results of one measurement. */
export type Part = {
  readonly name: Measurement
  readonly rates: readonly Rates[]
  readonly facts: readonly Fact[]
  readonly stages: readonly StageTimes[]
}

/** The results for one database of one size. */
export type Results = { readonly database: DatabaseName; readonly people: number; readonly parts: readonly Part[] }

const count = (value: number): string => Math.round(value).toLocaleString('en-US')
const perSecond = (value: number): string => (value < 10 ? value.toFixed(1) : count(value))
const verdict = (met: boolean | undefined): string => (met === undefined ? '' : met ? 'met' : '**not met**')

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map((_, index) => (index === 0 ? '---' : '---:')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')

const named = ({ database, people }: Results, what: string): string => `${database}, ${count(people)}: ${what}`

const promiseRows = (results: Results): string[][] =>
  results.parts.flatMap(({ rates, facts }) => [
    ...rates.map(({ what, atLeast, beside, unit, other, ours, ratio, low, high }) => [
      named(
        results,
        atLeast === undefined ? `${what}, beside ${beside}` : `${what} ≥ ${atLeast.toFixed(2)} of ${beside}`,
      ),
      `${perSecond(other.perSecond)} ${unit}`,
      `${perSecond(ours.perSecond)} ${unit}`,
      `${ratio.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`,
      verdict(atLeast === undefined ? undefined : ratio >= atLeast),
    ]),
    ...facts.map(({ what, value, isMet }) => [named(results, what), '', value, '', verdict(isMet)]),
  ])

const us = ({ cpuUs, databaseCpuUs }: Rates['ours']): string =>
  cpuUs === undefined ? '' : `${count(cpuUs)}${databaseCpuUs === undefined ? '' : ` + ${count(databaseCpuUs)}`} µs`

const costRows = (results: Results): string[][] =>
  results.parts
    .flatMap(({ rates }) => rates)
    .map(({ what, other, ours }) => [
      named(results, what),
      us(other),
      us(ours),
      `${other.p50.toFixed(1)} / ${other.p99.toFixed(1)} ms`,
      `${ours.p50.toFixed(1)} / ${ours.p99.toFixed(1)} ms`,
    ])

const stageRows = (results: Results): string[][] =>
  results.parts
    .flatMap((part) => part.stages)
    .map(({ operation, us: parts, total }) => [
      named(results, operation),
      ...stages.map((stage) => (parts[stage] === undefined ? '' : parts[stage].toFixed(1))),
      total.toFixed(0),
    ])

/** The tables, for the terminal and for the file alike. */
export function tables(results: readonly Results[]): string {
  const parts = []
  const promises = results.flatMap(promiseRows)
  if (promises.length > 0)
    parts.push(table(['promise', 'beside', 'ours', 'ratio, median (range)', 'verdict'], promises))
  const costs = results.flatMap(costRows)
  if (costs.length > 0)
    parts.push(
      `CPU time of the server's processes for one request (+ that of the database's where it was measured), and ` +
        `latency (median / 99th percentile):\n\n${table(
          ['', 'CPU beside', 'our CPU', 'latency beside', 'our latency'],
          costs,
        )}`,
    )
  const timed = results.flatMap(stageRows)
  if (timed.length > 0)
    parts.push(
      `\`invoke\` alone, one call after another, microseconds by stage ` +
        `(medians):\n\n${table(['', ...stages, 'all'], timed)}`,
    )
  return parts.join('\n\n')
}

/** Asks the database itself what it is. */
export async function versionOf(url: string): Promise<string> {
  const database = openConfigured(readConfig({ DATABASE_URL: url }))
  try {
    const text =
      database.dialect.name === 'sqlite'
        ? 'select sqlite_version() as version'
        : "select current_setting('server_version') as version"
    const [row] = await database.reader.query<{ version: string }>(({ knex }) => knex.raw(text))
    return `${database.dialect.name === 'sqlite' ? 'SQLite' : 'Postgres'} ${row?.version.split(' ')[0]}`
  } finally {
    await database.close()
  }
}
