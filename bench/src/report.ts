import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { availableParallelism, cpus, totalmem, type as systemType, release } from 'node:os'
import { fileURLToPath } from 'node:url'
import { openConfigured, readConfig } from '@kontor/server/admin'
import type { Fact } from './facts.ts'
import type { DatabaseName, Options, SetName } from './options.ts'
import type { Rates } from './rates.ts'
import { stages, type StageTimes } from './stages.ts'

/** What came out for one database of one size. */
export type Results = {
  readonly database: DatabaseName
  readonly people: number
  readonly version: string
  readonly rates: readonly Rates[]
  readonly facts: readonly Fact[]
  readonly stages: readonly StageTimes[]
}

const count = (value: number): string => Math.round(value).toLocaleString('en-US')
const perSecond = (value: number): string => (value < 10 ? value.toFixed(1) : count(value))
const verdict = (met: boolean | undefined): string => (met === undefined ? '' : met ? 'met' : '**not met**')

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map((_, index) => (index === 0 ? '---' : '---:')), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

const named = ({ database, people }: Results, what: string): string => `${database}, ${count(people)}: ${what}`

function promiseRows(results: Results): string[][] {
  const rows = results.rates.map(({ pair, other, ours, ratio, low, high }) => {
    const unit = pair.records === undefined ? '/s' : 'records/s'
    return [
      named(results, `${pair.what} ≥ ${pair.atLeast.toFixed(2)} of ${pair.beside}`),
      `${perSecond(other.perSecond)} ${unit}`,
      `${perSecond(ours.perSecond)} ${unit}`,
      `${ratio.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`,
      verdict(ratio >= pair.atLeast),
    ]
  })
  return [...rows, ...results.facts.map(({ what, value, isMet }) => [named(results, what), '', value, '', verdict(isMet)])]
}

const us = (value: number | undefined): string => (value === undefined ? '' : `${count(value)} µs`)

const costRows = (results: Results): string[][] =>
  results.rates.map(({ pair, other, ours }) => [
    named(results, pair.what),
    us(other.cpuUs),
    us(ours.cpuUs),
    `${other.p50.toFixed(1)} / ${other.p99.toFixed(1)} ms`,
    `${ours.p50.toFixed(1)} / ${ours.p99.toFixed(1)} ms`,
  ])

const stageRows = (results: Results): string[][] =>
  results.stages.map(({ operation, us: parts, total }) => [
    named(results, operation),
    ...stages.map((stage) => (parts[stage] === undefined ? '' : parts[stage].toFixed(1))),
    total.toFixed(0),
  ])

/** The tables, for the terminal and for the file alike. */
export function tables(results: readonly Results[]): string {
  const parts = []
  const promises = results.flatMap(promiseRows)
  if (promises.length > 0) parts.push(table(['promise', 'beside', 'ours', 'ratio, median (range)', 'verdict'], promises))
  const costs = results.flatMap(costRows)
  if (costs.length > 0)
    parts.push(
      `CPU time of the server's process for one request, and latency (median / 99th percentile):\n\n${table(['', 'CPU beside', 'our CPU', 'latency beside', 'our latency'], costs)}`,
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

const resultsPath = fileURLToPath(new URL('../RESULTS.md', import.meta.url))

const titles: Readonly<Record<SetName, string>> = { basics: 'Basics', depth: 'Records in depth' }

const preface = `# Results

Written by \`node bench/src/run.ts\`, each section by the last whole run of its set; [README.md](README.md) says how it
measures. Load generator, servers and database share the cores, so the absolute figures are low; each ratio is of two
neighbouring rounds.`

function section(set: SetName, results: readonly Results[], options: Options): string {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8', cwd: import.meta.dirname }).trim()
  const versions = [...new Set(results.map(({ version }) => version))].join('; ')
  const machine = [
    `${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? 'unknown'}); ${Math.round(totalmem() / 2 ** 30)} GiB of memory; ${systemType()} ${release().split('-')[0]}`,
    `Node ${process.versions.node}; ${versions}, both on disk with fsync on`,
    `${options.scales[set].map(count).join(' and ')} persons in one workspace, and a tenth as many companies; ${options.connections} connections; ${options.rounds} pairs of rounds of ${options.seconds} s`,
    `commit ${commit}, ${new Date().toISOString().slice(0, 10)}`,
  ]
  return `## ${titles[set]}\n\n${machine.map((line) => `- ${line}`).join('\n')}\n\n${tables(results)}`
}

/** Puts the results of a set in the place of its earlier ones, and leaves those of the other as they are. */
export async function writeResults(set: SetName, results: readonly Results[], options: Options): Promise<void> {
  const before = await readFile(resultsPath, 'utf8')
  const sections = (Object.keys(titles) as SetName[]).map((one) =>
    one === set ? section(set, results, options) : before.split(/^(?=## )/m).find((text) => text.startsWith(`## ${titles[one]}\n`))?.trim(),
  )
  await writeFile(resultsPath, `${[preface, ...sections].filter((text) => text !== undefined).join('\n\n')}\n`)
}
