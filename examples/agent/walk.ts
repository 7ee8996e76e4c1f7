/**
 * An agent that solves ten tasks on the sample data through the MCP server, twice and in two versions of the protocol.
 * The second time it changes nothing.
 *
 * DATABASE_URL runs the same on Postgres; the database must be empty.
 */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { createRestClient, resources, type RestClient } from '@kontor/client'
import type { Server } from '../shell.ts'
import { inNewFolder, withServer } from '../stand.ts'
import { step, tell } from '../tell.ts'
import { tasks } from './tasks.ts'
import { connectAgent, type ProtocolVersion } from './tools.ts'

const workspace = 'acme'
const objects = ['person', 'company', 'deal', 'task', 'meeting']

/** The number of records of each object, and the one that was changed last. */
async function stateOf(rest: RestClient): Promise<unknown> {
  const states: unknown[] = []
  for (const object of objects) {
    const sortOrder = { column: '_updated_at', dir: 'DESC' as const }
    const { body } = await rest.call(resources.list, { workspace, object, sortOrder, page: { limit: 1 } })
    assert.ok('data' in body)
    states.push([object, body.meta.total_records, body.data[0]?.id, body.data[0]?.attributes._updated_at])
  }
  return states
}

const quietMs = 3000
const patienceMs = 90_000

/** The same, when the workflows of the sample data have done what they do after a start. */
async function settledState(rest: RestClient): Promise<unknown> {
  let [state, since] = [await stateOf(rest), Date.now()]
  for (const began = Date.now(); Date.now() - since < quietMs; await sleep(200)) {
    assert.ok(Date.now() < began + patienceMs, 'the workflows of the sample data do not come to rest')
    const next = await stateOf(rest)
    if (!isDeepStrictEqual(next, state)) [state, since] = [next, Date.now()]
  }
  return state
}

async function walk({ baseUrl }: Server): Promise<void> {
  const apiKey = (await readFile(join(process.env['DATA_DIR'] ?? '', 'demo-api-key'), 'utf8')).trim()
  const rest = createRestClient({ url: baseUrl, apiKey })
  const url = `${new URL(baseUrl).origin}/mcp`
  const solve = async (version: ProtocolVersion): Promise<void> => {
    const { call, close } = await connectAgent({ url, apiKey, workspace }, version)
    for (const { title, run } of tasks) tell(`${title}: ${await run(call)}`)
    await close()
  }

  const before = await settledState(rest)
  step('Ten tasks, by the protocol of 2026-07-28')
  await solve('2026-07-28')
  const after = await settledState(rest)
  assert.notDeepEqual(after, before)

  step('The same ten, by the protocol before it: nothing changes')
  await solve('2025-11-25')
  assert.deepEqual(await settledState(rest), after)
}

await inNewFolder('agent', { KONTOR_DEMO: '1' }, () => withServer(walk))
