import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The packages whose dependencies can be looked up from the tree. */
const packages = ['packages/contract', 'packages/server', 'packages/client', 'packages/cli', 'tests', '.']

type Tree = {
  /** Files of the repository, copied as they are. */
  config: string[]
  /** Text by path. */
  files: Record<string, string>
  /** Imports of npm packages resolve. Not for oxlint: it walks into linked folders, and does not come back. */
  withDependencies: boolean
}

/**
 * Runs a checking tool of the root over a small tree that breaks rules on purpose, under the repository's own
 * configuration.
 * A checker that reads nothing passes everything; this is how we know that ours read.
 */
export function checkTree(tool: string, args: string[], { config, files, withDependencies }: Tree): string {
  const tree = mkdtempSync(join(tmpdir(), 'kontor-tree-'))
  try {
    const manifests = packages.map((folder) => join(folder, 'package.json'))
    for (const path of [...config, ...manifests]) cpSync(join(root, path), join(tree, path))
    if (withDependencies)
      for (const folder of packages) symlinkSync(join(root, folder, 'node_modules'), join(tree, folder, 'node_modules'))
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(tree, path)), { recursive: true })
      writeFileSync(join(tree, path), text)
    }
    const options = { cwd: tree, encoding: 'utf8', timeout: 30_000, killSignal: 'SIGKILL' } as const
    const { stdout, stderr, error } = spawnSync(join(root, 'node_modules/.bin', tool), args, options)
    if (error) throw error
    return stdout + stderr
  } finally {
    rmSync(tree, { recursive: true })
  }
}
