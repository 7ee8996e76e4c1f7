/** Writes the plans of every list query into bench/plans: how each database answers, with a million persons. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readOptions, type DatabaseName, type Options } from './options.ts'
import { openDatabases } from './databases.ts'
import { isTooMuch, type ExplainedQuery } from './plans/collect.ts'
import { explainLists } from './plans/lists.ts'
import { stopServers } from './processes.ts'
import { openSeeded } from './seeded.ts'

const folderOf = (database: DatabaseName): string => fileURLToPath(new URL(`../plans/${database}`, import.meta.url))

/** A query that is short enough to stay on its line. */
const shortMax = 60

/** One clause a line, those of queries inside indented. */
function laidOut(text: string, indent = ''): string {
  const inner = (part: string): string =>
    part.length <= shortMax ? part : `(\n${indent}  ${laidOut(part.slice(1, -1), `${indent}  `)}\n${indent})`
  const parts: string[] = []
  for (let at = 0; at < text.length;) {
    const begin = text.indexOf('(select ', at)
    parts.push(
      text
        .slice(at, begin < 0 ? text.length : begin)
        .replaceAll(
          / (?=(from|where|order by|group by|limit|union|cross join|inner join|left join)\b)/g,
          `\n${indent}`,
        ),
    )
    if (begin < 0) break
    const end = endOfGroup(text, begin)
    parts.push(inner(text.slice(begin, end)))
    at = end
  }
  return parts.join('')
}

function endOfGroup(text: string, begin: number): number {
  let depth = 0
  for (let at = begin; at < text.length; at++) {
    if (text[at] === '(') depth++
    if (text[at] === ')' && --depth === 0) return at + 1
  }
  return text.length
}

function fileText({ query, statements }: ExplainedQuery): string {
  const asked =
    `${query.body === undefined ? 'GET' : 'POST'} ` +
    decodeURIComponent(query.path).replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '<id>')
  const head = [asked, ...(query.body === undefined ? [] : [JSON.stringify(query.body)])].join('\n')
  const parts = statements.map((statement) => {
    const { pages, text, plan, reads } = statement
    return (
      `-- ${pages.join(', ')}; reads: ${reads}${isTooMuch(query, statement) ? ', MORE THAN MEANT' : ''}\n` +
      `${laidOut(text.replaceAll(/\s+/g, ' '))}\n\n${plan.map((line) => `  ${line}`).join('\n')}`
    )
  })
  return `${[head, ...parts].join('\n\n')}\n`
}

async function writePlans(database: DatabaseName, people: number, { keptIn }: Options): Promise<void> {
  const say = (text: string) => void process.stderr.write(`${database}, ${people}: ${text}\n`)
  const databases = await openDatabases(database, keptIn)
  try {
    const { url, seeded, drop } = await openSeeded(databases, people, { keptIn, isInPlace: false }, say)
    const explained = await explainLists(url, databases.folder, seeded, {}, say)
    await rm(folderOf(database), { recursive: true, force: true })
    await mkdir(folderOf(database), { recursive: true })
    for (const one of explained)
      await writeFile(
        join(folderOf(database), `${one.query.name.toLowerCase().replaceAll(/\W+/g, '-')}.txt`),
        fileText(one),
      )
    const wrong = explained.filter(({ query, statements }) =>
      statements.some((statement) => isTooMuch(query, statement)),
    )
    say(
      `${explained.length} lists explained; ${wrong.length} read more than they mean to: ` +
        wrong.map(({ query }) => query.name).join(', '),
    )
    await drop()
  } finally {
    await stopServers()
    await databases.close()
  }
}

const options = readOptions(process.argv.slice(2))
for (const database of options?.databases ?? [])
  await writePlans(database, options?.scales.depth.at(-1) as number, options as Options)
