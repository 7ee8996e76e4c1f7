import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Databases } from './databases.ts'
import type { Options } from './options.ts'
import { seed, type Amount, type Seeded } from './seed.ts'

/** A database to measure, with what is in it. */
export type SeededDatabase = {
  readonly url: string
  readonly seeded: Seeded
  /** An earlier run has measured it itself, so that it has more in it than was seeded. */
  readonly wasUsed: boolean
  readonly drop: () => Promise<void>
}

/** Of changes to a record with a long feed, one with a short one, and one to compare with what the server writes. */
const changes = [100_000, 100, 1]

/** Files that say what a seeded database looks like: when one of them changes, databases from before are of no use. */
const sources = ['.', '../../packages/server/src/db/migrations', '../../packages/server/src/modules/schemas/builtin']
const seeders = new Set(['attributes.ts', 'history.ts', 'real-rows.ts', 'rows.ts', 'seed.ts', 'seeded.ts'])

function stampOf(amount: Amount): string {
  const hash = createHash('sha256').update(JSON.stringify(amount))
  for (const source of sources) {
    const folder = join(import.meta.dirname, source)
    const files = readdirSync(folder, { withFileTypes: true, recursive: source !== '.' })
      .filter((one) => one.isFile() && (source !== '.' || seeders.has(one.name)))
      .map((one) => join(one.parentPath, one.name))
    for (const file of files.toSorted()) hash.update(readFileSync(file))
  }
  return hash.digest('hex')
}

/**
 * A database with so many persons: seeded now, or one that an earlier run left in a kept folder, itself or as a copy.
 */
export async function openSeeded(
  databases: Databases,
  people: number,
  { keptIn, isInPlace }: Pick<Options, 'keptIn' | 'isInPlace'>,
  say: (text: string) => void,
): Promise<SeededDatabase> {
  const amount: Amount = { people, companies: people / 10, changes }
  const name = `seed_${people}`
  if (keptIn === undefined)
    return {
      url: await databases.create(name),
      seeded: await seed(databases.urlOf(name), amount, say),
      wasUsed: false,
      drop: () => databases.drop(name),
    }
  const { seeded, isNew } = await keptSeed(databases, name, amount, say)
  if (isInPlace) return { url: databases.urlOf(name), seeded, wasUsed: !isNew, drop: async () => undefined }
  const copy = `run_${people}`
  say(`copying the kept database of ${people} persons`)
  return { url: await databases.create(copy, name), seeded, wasUsed: false, drop: () => databases.drop(copy) }
}

async function keptSeed(
  databases: Databases,
  name: string,
  amount: Amount,
  say: (text: string) => void,
): Promise<{ readonly seeded: Seeded; readonly isNew: boolean }> {
  const notes = join(databases.folder, `${databases.database}-${name}.json`)
  const stamp = stampOf(amount)
  const kept = await readNotes(notes)
  if (kept?.stamp === stamp) return { seeded: kept.seeded, isNew: false }
  await rm(notes, { force: true })
  const seeded = await seed(await databases.create(name), amount, say)
  await writeFile(notes, JSON.stringify({ stamp, seeded } satisfies Notes))
  return { seeded, isNew: true }
}

/** The notes beside a kept database. */
type Notes = { readonly stamp: string; readonly seeded: Seeded }

async function readNotes(path: string): Promise<Notes | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Notes
  } catch {
    return undefined
  }
}
