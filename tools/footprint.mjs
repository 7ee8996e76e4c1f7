// Prints how many files and functions of the server a call passes through, by function coverage of a warm server with
// the sample data on SQLite: `node tools/footprint.mjs`, with `--files` also their names. Goals: GET below 45 files,
// PATCH below 90, with what follows below 140.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { mkdtemp, rm } from 'node:fs/promises'
import { Session } from 'node:inspector'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const sources = new URL('../packages/server/src/', import.meta.url)
const { readConfig } = await import(new URL('config.ts', sources))
const { serve } = await import(new URL('serve.ts', sources))

/** Calls before one is measured: caches are full, and statements are prepared. */
const warmUps = 20

/** Calls that are measured, one after the other. */
const measured = 3

/** Background work has settled by then. */
const restMs = 3000

const dataDir = await mkdtemp(join(tmpdir(), 'kontor-footprint-'))
const { baseUrl, demo, stop } = await serve(readConfig({ DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'error' }))
const url = `${baseUrl}/workspaces/${demo.workspace}`
const headers = { authorization: `api-key ${demo.apiKey}`, 'content-type': 'application/json' }

async function send(path, method = 'GET', body) {
  const response = await fetch(`${url}${path}`, { method, headers, body: body && JSON.stringify(body) })
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
  return response.json()
}

const session = new Session()
session.connect()

/** Sends a command to the inspector, which responds at once on its own thread. */
function post(command, parameters) {
  let response
  session.post(command, parameters, (error, result) => {
    if (error) throw error
    response = result
  })
  return response
}

post('Profiler.enable')

/** Returns the files of the server that ran since the last time, each with its number of named functions. */
function takeCoverage() {
  const ours = post('Profiler.takePreciseCoverage').result.filter((script) => script.url.startsWith(sources.href))
  const byFile = ours.map((script) => [
    fileURLToPath(script.url).slice(fileURLToPath(sources).length),
    script.functions.filter(({ functionName, ranges }) => functionName !== '' && ranges[0].count > 0).length,
  ])
  return new Map(byFile.filter(([, functions]) => functions > 0))
}

/** Returns the files that ran until a call had its response, or within so long after it. */
async function ranIn(act, followedMs) {
  await sleep(restMs)
  let found
  const atResponse = () => (found ??= takeCoverage())
  takeCoverage()
  if (followedMs === 0) subscribe('http.server.response.finish', atResponse)
  await act()
  await sleep(followedMs)
  unsubscribe('http.server.response.finish', atResponse)
  return found ?? takeCoverage()
}

/** Returns the files that ran each time: what only ran beside one of the calls is none of theirs. */
async function footprint({ act, followedMs = 0 }) {
  for (let i = 0; i < warmUps; i++) await act(i)
  post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  const rounds = []
  for (let i = 0; i < measured; i++) rounds.push(await ranIn(() => act(warmUps + i), followedMs))
  post('Profiler.stopPreciseCoverage')
  const [first, ...others] = rounds
  return [...first].filter(([path]) => others.every((round) => round.has(path)))
}

const [person] = (await send('/objects/person/resources?page[limit]=1')).data
const record = `/objects/person/records/${person.id}`
const rename = (i) => send(record, 'PATCH', { data: { type: 'person', attributes: { job_title: `Title ${i}` } } })
const calls = {
  'GET one record': { act: () => send(record) },
  'list of members': { act: () => send('/users') },
  'list of 50': { act: () => send('/objects/person/resources?page[limit]=50') },
  'PATCH one record': { act: rename },
  'PATCH and what follows it within 2.5 s': { act: (i) => rename(i + 1000), followedMs: 2500 },
}

for (const [name, call] of Object.entries(calls)) {
  const files = await footprint(call)
  const rooms = Map.groupBy(files, ([path]) =>
    path
      .split('/')
      .slice(0, path.startsWith('modules/') ? 2 : 1)
      .join('/'),
  )
  const largest = [...rooms].toSorted(([, a], [, b]) => b.length - a.length).slice(0, 6)
  console.log(
    `${name}: ${files.length} files, ${files.reduce((sum, [, functions]) => sum + functions, 0)} named functions (` +
      `${largest.map(([room, some]) => `${room} ${some.length}`).join(', ')})`,
  )
  if (process.argv.includes('--files')) console.log(files.map(([path]) => `  ${path}`).join('\n'))
}
await stop('SIGTERM')
await rm(dataDir, { recursive: true })
