// Runs a third of the long tests within a time budget; three runs with seeds that follow each other run all of them
// (docs/decisions/0141). KONTOR_LONG_MINUTES is the budget, KONTOR_LONG_SEED the seed; `--record` writes what each
// file cost into tests/long-costs.json.
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const tests = join(root, 'tests')
const vitest = join(tests, 'node_modules/.bin/vitest')
const costsFile = join(tests, 'long-costs.json')
const seedFile = join(root, 'node_modules/.cache/kontor-long-seed')

const groups = 3
/** What properties draw from, as in `npm test`: whether a commit passes depends on the commit alone. */
const propertySeed = process.env.KONTOR_SEED ?? '20261121'

/** Two cores. */
const lanes = 2
/** Of a file that has not been measured yet. */
const unknownSeconds = 60

const say = (line) => process.stderr.write(`${line}\n`)
const minutesOf = (seconds) => `${Math.round(seconds / 60)} min`

const budgetMs = Number(process.env.KONTOR_LONG_MINUTES ?? 25) * 60_000
const costs = JSON.parse(readFileSync(costsFile, 'utf8'))
const secondsOf = (unit) => costs[unit] ?? unknownSeconds
const sum = (units) => units.reduce((total, unit) => total + secondsOf(unit), 0)
const longestFirst = (units) => units.toSorted((a, b) => secondsOf(b) - secondsOf(a) || (a < b ? -1 : 1))

/** The seed that follows the last run of this clone; in a fresh clone the number of commits, so that CI rotates too. */
function chooseSeed() {
  if (process.env.KONTOR_LONG_SEED !== undefined) return Number(process.env.KONTOR_LONG_SEED)
  try {
    return Number(readFileSync(seedFile, 'utf8')) + 1
  } catch {
    const { stdout } = spawnSync('git', ['rev-list', '--count', 'HEAD'], { cwd: root, encoding: 'utf8' })
    return Number(stdout) || Math.floor(Date.now() / 60_000)
  }
}

/** Each long file on each of its databases: `sqlite server/kills.long.test.ts`. */
function listUnits() {
  const args = ['list', '--filesOnly', '--json', '--config', 'vitest.long.config.ts']
  const { status, stdout, stderr } = spawnSync(vitest, args, { cwd: tests, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(stdout).map(({ file, projectName }) => `${projectName} ${relative(tests, file)}`)
}

/** The units of one group, when each goes to the group that has least to do so far. */
function unitsOfGroup(units, index) {
  const all = Array.from({ length: groups }, () => [])
  for (const unit of longestFirst(units)) all.reduce((a, b) => (sum(b) < sum(a) ? b : a)).push(unit)
  return longestFirst(all[index])
}

async function runUnit(unit) {
  const [project, file] = unit.split(' ')
  const began = Date.now()
  const args = ['run', '--config', 'vitest.long.config.ts', '--project', project, file]
  const child = spawn(vitest, args, { cwd: tests, env: { ...process.env, KONTOR_SEED: propertySeed } })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const code = await new Promise((resolve) => child.once('close', resolve))
  const seconds = Math.round((Date.now() - began) / 1000)
  if (code !== 0) say(output)
  say(`${code === 0 ? 'passed' : 'FAILED'}  ${unit}, ${seconds} s`)
  if (code !== 0) say(`To repeat it: KONTOR_SEED=${propertySeed} npm run test:long -- --project ${project} ${file}`)
  return { unit, seconds, isGood: code === 0 }
}

if (!(budgetMs > 0)) {
  say('No long tests: KONTOR_LONG_MINUTES is 0.')
  process.exit()
}
const seed = chooseSeed()
mkdirSync(dirname(seedFile), { recursive: true })
writeFileSync(seedFile, String(seed))
const waiting = unitsOfGroup(listUnits(), seed % groups)
say(
  `Long tests, group ${(seed % groups) + 1} of ${groups}: ${waiting.length} files, ` +
    `${minutesOf(sum(waiting) / lanes)} of ` +
    `${minutesOf(budgetMs / 1000)}. Seed ${seed}; KONTOR_LONG_SEED=${seed} before the same command repeats them.`,
)
const until = Date.now() + budgetMs
const done = []
const lane = async () => {
  for (;;) {
    const next = waiting.findIndex((unit) => Date.now() + secondsOf(unit) * 1000 <= until)
    if (next === -1) return
    done.push(await runUnit(waiting.splice(next, 1)[0]))
  }
}
await Promise.all(Array.from({ length: lanes }, lane))

if (process.argv.includes('--record')) {
  for (const { unit, seconds } of done) costs[unit] = seconds
  const sorted = Object.fromEntries(Object.entries(costs).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  writeFileSync(costsFile, `${JSON.stringify(sorted, null, 2)}\n`)
}
const failed = done.filter(({ isGood }) => !isGood)
say(`${done.length - failed.length} long files passed, ${failed.length} failed, ${waiting.length} had no time.`)
for (const { unit } of failed) say(`failed: ${unit}`)
for (const unit of waiting) say(`did not run: ${unit}`)
process.exitCode = failed.length === 0 ? 0 : 1
