// Builds and packs the packages that others install: `pnpm release [folder]`, by default into dist/packages.
// Their version is set by changesets: `pnpm changeset` describes a change, `pnpm changeset version` takes it over.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const to = resolve(process.argv[2] ?? join(root, 'dist/packages'))

function run(args, cwd) {
  const { status } = spawnSync('pnpm', args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] })
  if (status !== 0) throw new Error(`pnpm ${args.join(' ')} failed in ${cwd}`)
}

const folders = readdirSync(join(root, 'packages')).map((name) => join(root, 'packages', name))
const manifestOf = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

mkdirSync(to, { recursive: true })
for (const folder of folders) {
  const { name, version, private: isPrivate } = manifestOf(folder)
  if (isPrivate === true) continue
  rmSync(join(folder, 'dist'), { recursive: true, force: true })
  run(['run', 'build'], folder)
  run(['pack', '--pack-destination', to], folder)
  process.stdout.write(`${name} ${version} is in ${to}\n`)
}
