import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { documents } from './documents.ts'

const home = dirname(import.meta.dirname)

for (const [path, text] of Object.entries(documents())) {
  mkdirSync(dirname(join(home, path)), { recursive: true })
  writeFileSync(join(home, path), text)
  console.log(`wrote ${path}`)
}
