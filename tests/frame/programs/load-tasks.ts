import { globSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

// Prints the packages that the tasks of the pool load, a line each.

const sources = join(import.meta.dirname, '../../../packages/server/src')
const packages = new Set<string>()
registerHooks({
  resolve(specifier, context, next) {
    if (/^(@[^/]+\/)?[a-z]/.test(specifier) && !specifier.includes(':')) packages.add(specifier)
    return next(specifier, context)
  },
})
for (const path of globSync('modules/**/*.task.ts', { cwd: sources }))
  await import(pathToFileURL(join(sources, path)).href)
process.stdout.write([...packages].join('\n'))
