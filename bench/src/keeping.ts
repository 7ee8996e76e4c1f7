import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { availableParallelism, cpus, release, totalmem, type as systemType } from 'node:os'
import { fileURLToPath } from 'node:url'
import { namesOf, setNames, type DatabaseName, type Options, type SetName } from './options.ts'
import { tables, type Part, type Results } from './report.ts'

/** The origin of a measurement. */
type Origin = {
  readonly commit: string
  readonly date: string
  readonly version: string
  readonly machine: string
  readonly rounds: string
  /** The number of other programs that waited for a core just before the run; unknown of older ones. */
  readonly load?: number
}

const nothingKept: Kept = { basics: [], depth: [], access: [], plain: [], automation: [] }

type KeptPart = Part & { readonly origin: Origin }
type Kept = Readonly<
  Record<
    SetName,
    readonly { readonly database: DatabaseName; readonly people: number; readonly parts: readonly KeptPart[] }[]
  >
>

const pathOf = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url))
const [figuresPath, resultsPath] = [pathOf('results.json'), pathOf('RESULTS.md')]
/** Figures that no run of the benchmarks measures, kept by hand. */
const closingPaths = [pathOf('data.md'), pathOf('worst-inputs.md')]

const titles: Readonly<Record<SetName, string>> = {
  basics: 'Basics',
  depth: 'Records in depth',
  access: 'Access',
  plain: 'Beside plain',
  automation: 'Automation',
}

const persons = 'persons in one workspace, and a tenth as many companies'

/** The contents of the databases of a set that are counted. */
const contents: Readonly<Record<SetName, string>> = {
  basics: persons,
  depth: persons,
  access: persons,
  plain: persons,
  automation: 'waiting runs at most',
}

const preface = `# Results

Written by \`node bench/src/run.ts\`: every measurement in place of the one before it, so that those of a section may
come from several runs. [README.md](README.md) says how it measures. Load generator, servers and database share the
cores, so the absolute figures are low; each ratio is of two neighbouring rounds.`

/** The load of a machine that does nothing else. */
const quietLoadMax = 0.5

const countOf = (people: number): string => people.toLocaleString('en-US')

function originNow(version: string, { connections, rounds, seconds, loadBefore }: Options): Origin {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
    encoding: 'utf8',
    cwd: import.meta.dirname,
  }).trim()
  return {
    commit,
    date: new Date().toISOString().slice(0, 10),
    version: `${version}, Node ${process.versions.node}`,
    machine:
      `${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), ` +
      `${Math.round(totalmem() / 2 ** 30)} GiB of memory, ${systemType()} ${release().split('-')[0]}`,
    load: loadBefore,
    rounds: `${rounds} pairs of rounds of ${seconds} s, ${connections} connections`,
  }
}

const distinct = (values: readonly string[]): string => [...new Set(values)].join('; ')

function section(set: SetName, all: Kept[SetName]): string[] {
  if (all.length === 0) return []
  const origins = all.flatMap(({ parts }) => parts.map(({ origin }) => origin))
  const sizes = [...new Set(all.map(({ people }) => people))].toSorted((a, b) => a - b)
  const lines = [
    distinct(origins.map(({ machine }) => machine)),
    `${distinct(origins.map(({ version }) => version))}; both databases on disk with fsync on`,
    `${sizes.map(countOf).join(' and ')} ${contents[set]}; ` + distinct(origins.map(({ rounds }) => rounds)),
    ...(origins.some(({ load }) => load !== undefined && load > quietLoadMax)
      ? [
          'the machine was **not quiet**: one-minute load averages of ' +
            `${distinct(origins.map(({ load }) => (load ?? 0).toFixed(1)))} before the runs`,
        ]
      : []),
    `measured at ${distinct(origins.map(({ commit, date }) => `${commit} (${date})`))}`,
  ]
  return [`## ${titles[set]}\n\n${lines.map((line) => `- ${line}`).join('\n')}\n\n${tables(all)}`]
}

/** Puts what was measured in the place of what was measured earlier of the same, and writes the tables anew. */
export async function keepResults(
  set: SetName,
  { database, people, parts }: Results,
  version: string,
  options: Options,
): Promise<void> {
  const kept = { ...nothingKept, ...(JSON.parse(await readFile(figuresPath, 'utf8')) as Partial<Kept>) }
  const origin = originNow(version, options)
  const earlier = kept[set].find((one) => one.database === database && one.people === people)?.parts ?? []
  const measured = new Map<string, KeptPart>(
    [...earlier, ...parts.map((part) => ({ ...part, origin }))].map((part) => [part.name, part]),
  )
  const now = { database, people, parts: namesOf(set).flatMap((name) => measured.get(name) ?? []) }
  const others = kept[set].filter((one) => one.database !== database || one.people !== people)
  const next: Kept = {
    ...kept,
    [set]: [...others, now].toSorted((a, b) => b.database.localeCompare(a.database) || a.people - b.people),
  }
  await writeFile(figuresPath, `${JSON.stringify(next, null, 1)}\n`)
  const closing = await Promise.all(closingPaths.map(async (path) => (await readFile(path, 'utf8')).trimEnd()))
  const sections = [preface, ...setNames.flatMap((one) => section(one, next[one])), ...closing]
  await writeFile(resultsPath, `${sections.join('\n\n')}\n`)
}
