// Makes a clean clone runnable: installs the workspace once per lockfile, builds the docs once per contract.
// Needs only Node 18 and npm; whatever runs after it gets the pinned Node from node_modules/.bin.
// Speaks on stderr alone, and only when there is work: stdout belongs to the command that follows (`kontor … --json`).
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const docs = join(root, 'packages/docs')
const windows = process.platform === 'win32'

/** Runs `step` unless `stamp` holds the hash of `inputs`; the stamp is written only after success. */
function once(stamp, inputs, step) {
  const hash = createHash('sha256')
  for (const input of inputs) hash.update(input).update('\0')
  const wanted = hash.digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  rmSync(stamp, { force: true })
  if (step()) writeFileSync(stamp, wanted)
}

function run(command, args, options) {
  // The child's stdout goes to our stderr, for the reason given at the top.
  const { status, error, stderr } = spawnSync(command, args, { stdio: ['ignore', 2, 2], shell: windows, ...options })
  if (error) say(error.message)
  if (status !== 0 && stderr) process.stderr.write(stderr)
  return status === 0
}

const say = (text) => process.stderr.write(`setup: ${text}\n`)
const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`

function install() {
  const started = performance.now()
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  say(`installing packages with ${packageManager} (first run, or pnpm-lock.yaml has changed)`)
  // Without --prefer-offline npx waits for more than a minute when there is no network.
  const args = ['-y', '--prefer-offline', packageManager, 'install', '--frozen-lockfile', '--prefer-offline']
  if (!run('npx', args, { cwd: root, env: { ...process.env, npm_config_update_notifier: 'false' } })) {
    say('the installation failed; the reason stands above. The first run needs the npm registry.')
    process.exit(1)
  }
  say(`installed in ${seconds(started)}`)
  return true
}

/** The server answers without its reference, so a failure here only warns. */
function buildReference() {
  const started = performance.now()
  say('building the API reference')
  const built = run('node', ['src/build-site.ts'], {
    cwd: docs,
    // Its banner is worth reading only when it fails.
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, PATH: [join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter) },
  })
  say(
    built
      ? `built in ${seconds(started)}`
      : 'the reference could not be built; /docs will say so, everything else works',
  )
  return built
}

const read = (path) => (existsSync(path) ? readFileSync(path) : '')
once(
  join(root, 'node_modules/.installed'),
  [read(join(root, 'pnpm-lock.yaml')), read(join(root, 'pnpm-workspace.yaml')), process.platform + process.arch],
  install,
)
if (existsSync(join(docs, 'openapi.json'))) {
  const folders = ['docs/src', 'docs/browser', 'docs/pages', 'contract/src'].map((path) => join(root, 'packages', path))
  // Without the folders within them, which have no ending.
  const sources = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true })
      .filter((path) => extname(path) !== '')
      .map((path) => join(folder, path)),
  )
  const page = existsSync(join(docs, 'dist/index.html'))
  if (!page) rmSync(join(docs, 'dist/.built'), { force: true })
  once(join(docs, 'dist/.built'), [...sources.map(read), read(join(root, 'pnpm-lock.yaml'))], buildReference)
}
