import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const server = join(import.meta.dirname, '../../packages/server/src')

/** The tables of the schema, by its snapshot. */
export function tablesOfSchema(): ReadonlySet<string> {
  const snapshot = readFileSync(join(server, 'db/snapshots/sqlite.sql'), 'utf8')
  const names = [...snapshot.matchAll(/create table [`"]?(\w+)/gi)].map(([, name = '']) => name)
  return new Set(names.filter((name) => name !== 'kontor_migration'))
}

/** Calls whose first or second argument is a table; other calls take words such as `record` for other things. */
const calls = new RegExp(
  String.raw`\b(?:knex|sql|from|\w*[jJ]oin|insert\w*|update\w*|delete\w*|expiredRows|gatherStatistics|rowsOf` +
    String.raw`|rowsIn|workRows|of|lookUp|copiedTable)` +
    String.raw`(?:<[^()]*?>)?\(\s*(?:[\w.]+,\s*)?'(\w+)(?: as \w+)?'`,
  'g',
)
const members = /\btable: '(\w+)(?: as \w+)?'/g
/** Words of one part are names of other things too, unless they have an alias. */
const unmistakable = /'([a-z]+_[a-z_]+|[a-z]+(?= as \w+'))(?: as \w+)?'/g
const templates = /\bsql(?:<[^`]*>)?`([^`]*)`/g
const inSql = /\b(?:from|join|update|into)\s+(\w+)\b/g

const wordsOf = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, word = '']) => word)

/** Returns the words in a source that stand where a statement names a table. */
export function namedIn(source: string): string[] {
  return [
    ...[calls, members, unmistakable].flatMap((pattern) => wordsOf(source, pattern)),
    ...wordsOf(source, templates).flatMap((text) => wordsOf(text, inSql)),
  ]
}

/** Returns the module of a path below the server's sources; those of identity are modules of their own. */
const moduleOf = (path: string): string =>
  /^modules\/(identity\/[^/]+|[^/]+)\//.exec(path)?.[1] ?? path.split('/')[0] ?? path

/** Returns, by table, the files of each module that name it; `db` itself owns none. */
export function tablesByModule(): Map<string, Map<string, string[]>> {
  const tables = tablesOfSchema()
  const found = new Map<string, Map<string, string[]>>([...tables].map((table) => [table, new Map()]))
  const sources = readdirSync(server, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.startsWith('db/'),
  )
  for (const path of sources) {
    const named = new Set(namedIn(readFileSync(join(server, path), 'utf8')))
    for (const table of named) {
      const modules = found.get(table)
      modules?.set(moduleOf(path), [...(modules.get(moduleOf(path)) ?? []), path])
    }
  }
  return found
}
