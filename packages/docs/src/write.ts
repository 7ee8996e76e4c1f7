import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** This package. */
export const home = dirname(import.meta.dirname)

/** Writes files of this package by their paths, and says how many. */
export function writeFiles(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), text)
  }
  console.log(`wrote ${Object.keys(files).length} files`)
}
