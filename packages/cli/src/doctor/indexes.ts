import { existsSync } from 'node:fs'
import type { Config } from '@kontor/server/config'
import { sqliteFile } from '../administration.ts'
import { indexInWords } from '../index-in-words.ts'
import { count } from '../output.ts'
import { ok, type Finding } from './finding.ts'

/** Lists the fields that have an index because callers sort or filter by them, and how far the others are. */
export async function checkIndexes(config: Config): Promise<Finding> {
  const file = sqliteFile(config)
  // Opening it would make it.
  if (file !== undefined && !existsSync(file)) return ok('none yet')
  const { readFieldIndexes } = await import('@kontor/server/admin')
  const facts = await readFieldIndexes(config)
  if (facts === undefined) return ok('told once the migrations are applied')
  if (facts.length === 0) return ok('none; large objects get them when a caller sorts or filters by a field')
  const building = facts.filter(({ state }) => state === 'building').length
  return ok(
    [
      `${count(facts.length - building, 'field is', 'fields are')} indexed on demand, ${building} more on the way`,
      ...facts.map((fact) => `      ${indexInWords(fact)}`),
    ].join('\n'),
  )
}
