// Prints how many files and functions of the server a call passes through, by function coverage of a warm server with
// the sample data on SQLite: `node tools/footprint.mjs`. Goals: GET below 45 files, PATCH below 90, with what follows
// below 140.
import { mkdtemp, rm } from 'node:fs/promises'
import { Session } from 'node:inspector/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const sources = new URL('../packages/server/src/', import.meta.url)
const { readConfig } = await import(new URL('config.ts', sources))
const { serve } = await import(new URL('serve.ts', sources))

/** Calls before one is measured: caches are full, and statements are prepared. */
const warmUps = 20

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
await session.post('Profiler.enable')

/** Returns the files and functions that ran while something was done. */
async function footprint(act) {
  for (let i = 0; i < warmUps; i++) await act(i)
  await sleep(restMs)
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await session.post('Profiler.takePreciseCoverage')
  await act(warmUps)
  const { result } = await session.post('Profiler.takePreciseCoverage')
  await session.post('Profiler.stopPreciseCoverage')
  const ours = result.filter((script) => script.url.startsWith(sources.href))
  const byFile = ours.map((script) => [
    fileURLToPath(script.url).slice(fileURLToPath(sources).length),
    script.functions.filter(({ functionName, ranges }) => functionName !== '' && ranges[0].count > 0).length,
  ])
  return byFile.filter(([, functions]) => functions > 0)
}

const [person] = (await send('/objects/person/resources?page[limit]=1')).data
const record = `/objects/person/records/${person.id}`
const rename = (i) => send(record, 'PATCH', { data: { type: 'person', attributes: { job_title: `Title ${i}` } } })
const calls = {
  'GET one record': () => send(record),
  'list of members': () => send('/users'),
  'list of 50': () => send('/objects/person/resources?page[limit]=50'),
  'PATCH one record': rename,
  'PATCH and what follows it within 2.5 s': async (i) => {
    await rename(i + 1000)
    if (i === warmUps) await sleep(2500)
  },
}

for (const [name, act] of Object.entries(calls)) {
  const files = await footprint(act)
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
