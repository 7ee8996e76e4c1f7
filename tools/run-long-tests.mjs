// Runs some of the long tests, in an order that its seed gives, until a time budget is spent (docs/decisions/0141).
// KONTOR_LONG_MINUTES is the budget; KONTOR_SEED is the seed, of the order and of what properties draw from. `--record`
// writes what each file cost into tests/long-costs.json.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const tests = join(root, 'tests')
const vitest = join(tests, 'node_modules/.bin/vitest')
const costsFile = join(tests, 'long-costs.json')

const seed = Number(process.env.KONTOR_SEED ?? Date.now() % 2 ** 31)
const budgetMinutes = Number(process.env.KONTOR_LONG_MINUTES ?? 25)

/** Two cores. */
const lanes = 2
/** Of a file that has not been measured yet. */
const unknownSeconds = 60

const say = (line) => process.stderr.write(`${line}\n`)

const costs = JSON.parse(readFileSync(costsFile, 'utf8'))
const secondsOf = (unit) => costs[unit] ?? unknownSeconds

/** Each long file on each of its databases: `sqlite server/kills.long.test.ts`. */
function listUnits() {
  const args = ['list', '--filesOnly', '--json', '--config', 'vitest.long.config.ts']
  const { status, stdout, stderr } = spawnSync(vitest, args, { cwd: tests, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(stdout).map(({ file, projectName }) => `${projectName} ${relative(tests, file)}`)
}

const placeOf = (unit) => createHash('sha256').update(`${seed} ${unit}`).digest('hex')

/** The units in the order of the seed. */
function shuffled(units) {
  return units
    .map((unit) => [placeOf(unit), unit])
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, unit]) => unit)
}

async function runUnit(unit) {
  const [project, file] = unit.split(' ')
  const began = Date.now()
  const args = ['run', '--config', 'vitest.long.config.ts', '--project', project, file]
  const child = spawn(vitest, args, { cwd: tests, env: { ...process.env, KONTOR_SEED: String(seed) } })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const code = await new Promise((resolve) => child.once('close', resolve))
  const seconds = Math.round((Date.now() - began) / 1000)
  if (code !== 0) say(output)
  say(`${code === 0 ? 'passed' : 'FAILED'}  ${unit}, ${seconds} s`)
  if (code !== 0) say(`To repeat it: KONTOR_SEED=${seed} npm run test:long -- --project ${project} ${file}`)
  return { unit, seconds, isGood: code === 0 }
}

const waiting = shuffled(listUnits())
say(
  `${waiting.length} long files, for ${budgetMinutes} min. ` +
    `Seed ${seed}; KONTOR_SEED=${seed} before the same command repeats them.`,
)
const until = Date.now() + budgetMinutes * 60_000
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
